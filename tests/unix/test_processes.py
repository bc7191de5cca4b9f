"""Processes: fork, threads, execve, waiting and turns, as on Linux."""

from typing import Any

import pytest

from tollgate.machines.boot import BUILD
from tollgate.machines.child import run

from ..conftest import UNHURRIED

MACHINES = [
    ("i386", "EPYC", "qemu-icount"),
    pytest.param("i386", "pentium", "qemu-icount", marks=pytest.mark.long),
    ("amd64", "EPYC", "qemu-icount"),
    pytest.param("amd64", "Haswell", "qemu-icount", marks=pytest.mark.long),
    pytest.param("amd64", "corei7_haswell_4770", "bochs", marks=pytest.mark.long),
]


@pytest.mark.parametrize(("arch", "cpu", "platform"), MACHINES)
def test_processes_keep_linux_promises(suite: Any, arch: str, cpu: str, platform: str) -> None:
    result = suite(arch, cpu, platform, "processes")
    assert result.outcome.value == "pass", result.reason
    folders = 2 if arch == "i386" else 3
    assert result.text.count("1..") >= folders


@pytest.mark.long
@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_what_is_expected_is_what_linux_does(host_runs: Any, arch: str) -> None:
    host_runs(arch)
    program = BUILD / arch / "bin" / "processes"
    done = run([program], 60)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("arch", "extra"),
    [
        pytest.param("i386", UNHURRIED, id="i386"),
        pytest.param("amd64", UNHURRIED, id="amd64"),
        pytest.param("i386", (), marks=pytest.mark.long, id="i386-fast"),
        pytest.param("amd64", (), marks=pytest.mark.long, id="amd64-fast"),
    ],
)
def test_what_a_suite_leaves_behind_ends_with_it(
    boot: Any, arch: str, extra: tuple[str, ...]
) -> None:
    """Its children compute, sleep, fork or were stopped, in ring 3 and in ring 0."""
    result = boot(arch, "EPYC", "suite=leftover,usystime samples=10", extra=extra)
    origins = 2 if arch == "i386" else 3
    assert result.text.count("leftover: 11 are left\n") == origins
    assert len(result.results) == 3 * origins, "the next program did not run"
    assert result.outcome.value == "pass", result.reason
