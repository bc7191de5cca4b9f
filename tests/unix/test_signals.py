"""Signals: Linux's semantics, forged frames are refused, and deaths are reported in a sentence."""

from typing import Any

import pytest

from tollgate.machines.boot import BUILD
from tollgate.machines.child import run
from tollgate.records import budgets

from ..conftest import SIGNALS
from ..core.test_contract import failed_checks

MACHINES = [
    ("i386", "EPYC", "qemu-icount"),
    pytest.param("i386", "pentium", "qemu-icount", marks=pytest.mark.long),
    pytest.param("amd64", "EPYC", "qemu-icount", marks=pytest.mark.long),
    ("amd64", "Skylake-Client", "qemu-icount"),
    pytest.param("amd64", "corei7_haswell_4770", "bochs", marks=pytest.mark.long),
    pytest.param("i386", "p3_katmai", "bochs", marks=pytest.mark.long),
]
WITHOUT_ZEROING = {"user": 150, "compat": 150, "trusted": 240}
"""Instructions of a page fault that adds a page of zeros, without those that clear it."""


@pytest.mark.long
@pytest.mark.parametrize("suite", SIGNALS)
@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_the_expectations_are_linuxs(host_runs: Any, arch: str, suite: str) -> None:
    """The same program on the host; i386 needs a kernel with 32-bit emulation."""
    host_runs(arch)
    done = run([BUILD / arch / "bin" / suite], 60)
    assert "not ok" not in done.stdout
    assert done.returncode == 0


@pytest.mark.parametrize(("arch", "cpu", "platform"), MACHINES)
def test_signals_are_as_on_linux(suite: Any, arch: str, cpu: str, platform: str) -> None:
    names = SIGNALS if platform == "bochs" else (",".join(SIGNALS),)
    results = [suite(arch, cpu, platform, name) for name in names]
    for result in results:
        assert failed_checks(result) == []
        assert result.outcome.value == "pass"
    assert sum(len(each.checks) for each in results) >= (230 if arch == "amd64" else 80)


@pytest.mark.figures
@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_what_linux_has_too_costs_what_its_budgets_say(boot: Any, arch: str) -> None:
    """Faults and signals, calls by each way in, processes; getpid costs what the toll says."""
    result = boot(arch, "EPYC", "suite=faults,calls,spawn samples=20")
    cost = {r["id"]: r["median"] for r in result.results}
    for suite in ("faults", "calls", "spawn"):
        assert budgets.differences(result, suite) == {}, "tests/budgets.toml"
    toll = budgets.load("toll", arch)
    for origin in {row.partition("/")[0] for row in cost}:
        assert cost[f"{origin}/getpid/int80"] == budgets.highest(toll[f"{origin}/int/standard"])
    for origin, most in WITHOUT_ZEROING.items():
        if f"{origin}/fault/zero" in cost:
            assert cost[f"{origin}/fault/zero-net"] <= most


@pytest.mark.figures
@pytest.mark.parametrize(
    ("cpu", "platform", "words", "counted"),
    [
        ("EPYC", "qemu-icount", 64 * (8 + 3), 0),
        ("Skylake-Client", "qemu-icount", 512 + 1, 0),
        pytest.param("corei7_haswell_4770", "bochs", 512, 1, marks=pytest.mark.long),
    ],
)
def test_a_fault_costs_the_same_however_its_page_is_cleared(
    boot: Any, cpu: str, platform: str, words: int, counted: int
) -> None:
    """A page is cleared a cache line per round, or with ERMS by REP, for which QEMU counts one
    round more. Bochs counts the exception itself."""
    result = boot("amd64", cpu, "suite=faults samples=5 only=/zero", platform=platform)
    cost = {r["id"]: r["median"] for r in result.results}
    assert words < cost["user/fault/zero"] - cost["user/fault/zero-net"] <= words + 8
    allowed = budgets.load("faults", "amd64")["user/fault/zero-net"]
    assert cost["user/fault/zero-net"] == measured(allowed, result) + counted


def measured(allowed: Any, result: Any) -> Any:
    """The budget for this compiler, otherwise the measured figure."""
    compiler = budgets.compiler_of(result.run)
    return allowed.get(compiler, result.results[1]["median"])


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
    result = boot(arch, "EPYC", f"suite=sighandler,usystime samples=10 only={way}")
    assert "lived through" not in result.text
    folders = ["bin", "compat", "trusted"] if arch == "amd64" else ["bin", "trusted"]
    for folder in folders:
        # at CPL 0 of i386 INT has no stack there, before sigreturn checks it
        pushes = (arch, folder, way) == ("i386", "trusted", "bad-frame")
        if DEATHS[way]:
            sentence = DEATHS["blocked"] if pushes else DEATHS[way]
            assert f"/{folder}/sighandler: {sentence}" in result.text
    assert result.outcome.value == "fail"
    assert len(result.results) == 3 * len(folders), "the next programs did not run"


@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_nobody_else_ends_or_stops_the_program_that_the_kernel_started(
    boot: Any, arch: str
) -> None:
    """Sent by kill, tkill, tgkill; to the first thread or another; it gets the handled ones."""
    result = boot(arch, cmdline="suite=spared")
    assert result.outcome.value == "pass", result.reason
    assert len(result.checks) == 3 * (2 if arch == "i386" else 3)
