"""Pairs of stream sockets: suite sockets passes on both kernels as on Linux."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tollgate.boot import BUILD
from tollgate.child import run
from tollgate.outcome import Outcome


@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_what_sockets_promise_is_what_linux_does(host_runs: Any, arch: str, tmp_path: Path) -> None:
    host_runs(arch)
    done = run([BUILD / arch / "bin" / "sockets"], 60, cwd=tmp_path)
    assert [line for line in done.stdout.splitlines() if line.startswith("not ok")] == []
    assert done.returncode == 0
    assert "\nok 50 " in done.stdout


@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_sockets(boot: Any, arch: str) -> None:
    """In /bin, as a trusted program, and on amd64 as one of 32 bits."""
    result = boot(arch, cmdline="suite=sockets")
    assert [c for c in result.checks if not c["ok"]] == []
    assert len(re.findall(r"^1\.\.", result.text, re.M)) == {"i386": 2, "amd64": 3}[arch]
    assert result.outcome is Outcome.PASS, result.reason
    assert not result.problems


@pytest.mark.long
@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_sockets_are_opened_ten_thousand_times(boot: Any, arch: str) -> None:
    result = boot(arch, cmdline="suite=sockets samples=10000", timeout=120)
    assert [c for c in result.checks if not c["ok"]] == []
    assert result.outcome is Outcome.PASS, result.reason
