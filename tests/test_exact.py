"""Figures of copy, latency and share are those of tests/exact.toml: what one instruction does."""

from __future__ import annotations

from typing import Any

import pytest

from tollgate.boot import BootResult
from tollgate.outcome import Outcome

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
    words, _, memory = exact.COPY[which]
    result = boot(arch, "EPYC", words, memory=memory)
    check(result)
    assert exact.medians(result, "copy") == exact.copies(arch, exact.load()["copy"][arch]), HINT


@pytest.mark.long
@pytest.mark.parametrize(("arch", "origin"), exact.PLACES)
@pytest.mark.parametrize("which", [0, 1])
def test_the_longest_stretch_of_each_call(
    boot: Any, suites: Any, arch: str, origin: str, which: int
) -> None:
    words, names, memory = exact.LATENCY[which]
    module = suites(arch, *names, folders=(exact.FOLDER[origin],))
    result = boot(arch, "EPYC", words, module=module, memory=memory)
    check(result)
    known = exact.load()["latency"][arch][origin]
    assert exact.other(exact.longest(result), known) == {}, HINT


@pytest.mark.long
@pytest.mark.parametrize("arch", ["i386", "amd64"])
@pytest.mark.parametrize("which", [0, 1])
def test_a_turn_and_an_end_beside_a_busy_program(boot: Any, arch: str, which: int) -> None:
    words, _, memory = exact.SHARE[which]
    result = boot(arch, "EPYC", words, memory=memory)
    check(result)
    known = exact.load()["share"][arch]
    wanted = {row: f[which] if isinstance(f, list) else f for row, f in known.items()}
    assert exact.medians(result, "share") == wanted, HINT


def test_one_instruction_another_deed_or_a_missing_call_is_told() -> None:
    known: exact.Deeds = {"areas": {"fork": 100}, "threads": {"futex": [7, 9]}}
    found = {"fork": ("areas", 100), "futex": ("threads", 8)}
    assert exact.other(found, known) == {}
    assert exact.by_deed({"fork": ("areas", 5)}, {"fork": ("areas", 4)}) == {
        "areas": {"fork": [4, 5]}
    }
    for call, now in (
        ("fork", ("areas", 101)),
        ("fork", ("areas", 99)),
        ("fork", ("pages", 100)),
        ("futex", ("threads", 10)),
        ("futex", ("threads", 6)),
        ("pipe", ("areas", 1)),
    ):
        assert set(exact.other(found | {call: now}, known)) == {call}
    assert set(exact.other({"fork": ("areas", 100)}, known)) == {"futex"}
