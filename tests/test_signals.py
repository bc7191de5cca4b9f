"""Signals: Linux's semantics, frames that no program may return by, and deaths in a sentence."""

from __future__ import annotations

import re
import subprocess
from typing import Any

import pytest

from tollgate.boot import ROOT

MACHINES = [
    ("i386", "EPYC", "qemu-icount"),
    ("i386", "pentium", "qemu-icount"),
    ("amd64", "EPYC", "qemu-icount"),
    ("amd64", "Skylake-Client", "qemu-icount"),
    ("amd64", "corei7_haswell_4770", "bochs"),
    ("i386", "corei7_haswell_4770", "bochs"),
]
LONGEST = {"bin": {"i386": 900, "amd64": 650}, "compat": {"amd64": 900}, "trusted": {"amd64": 650}}
"""Instructions of a SIGSEGV to a handler and back, by folder and kernel."""


def failed_checks(result: Any) -> list[str]:
    return [f"{c['name']}: {c['detail']}" for c in result.checks if not c["ok"]]


def program(arch: str, name: str) -> bytes:
    return (ROOT / "build" / arch / "bin" / name).read_bytes()


@pytest.mark.parametrize("suite", ["signals", "sigfault", "sigreturn"])
@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_the_expectations_are_linuxs(arch: str, suite: str) -> None:
    """The same program on the host; i386 needs a kernel with 32-bit emulation."""
    path = ROOT / "build" / arch / "bin" / suite
    try:
        run = subprocess.run([path], capture_output=True, text=True, timeout=60)
    except OSError as error:
        pytest.skip(f"the host runs no {arch} programs: {error.strerror}")
    assert "not ok" not in run.stdout
    assert run.returncode == 0


@pytest.mark.parametrize(("arch", "cpu", "platform"), MACHINES)
def test_signals_are_as_on_linux(boot: Any, arch: str, cpu: str, platform: str) -> None:
    result = boot(arch, cpu, "suite=signals,sigfault,sigreturn", platform=platform)
    assert failed_checks(result) == []
    assert result.outcome.value == "pass"
    assert len(result.checks) >= (230 if arch == "amd64" else 80)


@pytest.mark.parametrize(
    ("arch", "folder"),
    [("i386", "bin"), ("amd64", "bin"), ("amd64", "compat"), ("amd64", "trusted")],
)
def test_the_way_to_a_handler_and_back_is_short(
    boot: Any, tree: Any, arch: str, folder: str
) -> None:
    width = "i386" if folder == "compat" else arch
    module = tree({f"{folder}/sigfault": program(width, "sigfault")})
    result = boot(arch, "EPYC", "suite=sigfault", module=module)
    ticks = re.search(r"SIGSEGV to a handler and back: (\d+) ticks", result.text)
    assert ticks and int(ticks[1]) <= LONGEST[folder][arch]


DEATHS = {
    "blocked": "killed by SIGSEGV: #PF, page fault at ip",
    "ignored": "killed by SIGSEGV: #PF, page fault at ip",
    "no-stack": "killed by SIGSEGV: no stack for the handler of signal 11",
    "bad-frame": "killed by SIGSEGV: a bad frame for sigreturn",
    "term": "",
    "kill": "",
}


@pytest.mark.parametrize("way", DEATHS)
@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_a_signal_ends_the_program_alone(boot: Any, arch: str, way: str) -> None:
    result = boot(arch, "EPYC", f"suite=sigfault,usystime samples=10 only={way}")
    assert "lived through" not in result.text
    folders = ["bin", "compat", "trusted"] if arch == "amd64" else ["bin"]
    for folder in folders:
        if DEATHS[way]:
            assert f"/{folder}/sigfault: {DEATHS[way]}" in result.text
    assert result.outcome.value == "fail"
    assert len(result.results) == 2 * len(folders), "the next programs did not run"
