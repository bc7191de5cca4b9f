"""Figures of copy are those of tests/exact.toml: what one instruction does."""

from __future__ import annotations

from typing import Any

import pytest

from tollgate.machines.boot import BootResult
from tollgate.machines.outcome import Outcome

from . import exact

HINT = "if that is on purpose: make budgets"


def check(result: BootResult) -> None:
    """It has passed; another compiler's kernel has other figures."""
    assert result.outcome is Outcome.PASS, result.reason
    if not exact.by_ours(result):
        pytest.skip("the figures are gcc 12's")


@pytest.mark.parametrize("arch", ["i386", "amd64"])
@pytest.mark.parametrize("which", [0, pytest.param(1, marks=pytest.mark.long)])
def test_a_byte_is_copied_in_so_many_instructions(boot: Any, arch: str, which: int) -> None:
    words, memory = exact.COPY[which]
    result = boot(arch, "EPYC", words, memory=memory)
    check(result)
    assert exact.medians(result) == exact.copies(arch, exact.load()["copy"][arch]), HINT
