"""The unit on a machine: a run record's description of a cycle, and `unit=cycles`."""

from typing import Any

import pytest

from tollgate.machines.outcome import Outcome
from tollgate.records import budgets
from tollgate.records.check import remarks
from tollgate.records.retired_instructions import compared
from tollgate.records.rules import faults
from tollgate.show.report.method import retired_table
from tollgate.show.report.model import read_machine

from ..conftest import UNTOLD

WORDS = "suite=toll only=user/int samples=20 platform=hardware then=stop"
CASES = {  # processor, words, unit, insisted, the rule that is broken
    "a hypervisor": ("Skylake-Client", "", "host ticks", None, None),
    "a person insists": ("Skylake-Client", "unit=cycles", "cycles", True, "unit"),
    "nothing beneath it": ("Skylake-Client,-hypervisor", "", "cycles", None, None),
}
SHORT = {("a person insists", "i386"), ("nothing beneath it", "amd64")}


@pytest.mark.parametrize(
    ("name", "arch"),
    [
        pytest.param(name, arch, marks=[] if (name, arch) in SHORT else [pytest.mark.long])
        for name in CASES
        for arch in ("i386", "amd64")
    ],
)
def test_whose_ticks_are_cycles(boot: Any, name: str, arch: str) -> None:
    cpu, word, unit, insisted, rule = CASES[name]
    result = boot(arch, cpu, f"{WORDS} {word}", platform="qemu-tcg", extra=UNTOLD)
    assert result.outcome is Outcome.PASS, result.reason
    run = result.run
    assert (run["unit"], run.get("insisted")) == (unit, insisted)
    assert ("A hypervisor is beneath (TCGTCGTCGTCG): " in result.text) == ("-" not in cpu[8:])
    clock = run["clock"]
    assert (clock["by"], clock["core"], clock["nominal_hz"]) == ("the PIT", "", 0)
    assert clock["smis"] >= 0, "Skylake's model has MSR_SMI_COUNT, and QEMU counts there"
    assert result.machine_run.end["smis"] == clock["smis"]
    assert all(row["smis"] == 0 == row["core"] for row in result.results)
    broken = {fault.rule for fault in faults(result.machine_run)}
    assert broken == ({rule} if rule else set())


@pytest.mark.figures
@pytest.mark.parametrize(
    ("arch", "cpu"),
    [
        ("amd64", "EPYC"),
        pytest.param("amd64", "Skylake-Client", marks=pytest.mark.long),
        pytest.param("i386", "EPYC", marks=pytest.mark.long),
    ],
)
def test_a_processors_own_count_of_instructions_is_the_budgets(
    boot: Any, arch: str, cpu: str
) -> None:
    """QEMU has no such counter, so `retired=tsc` uses the TSC, which counts instructions here."""
    result = boot(arch, cpu, "suite=toll,exceptions,calls,vsyscall samples=20 retired=tsc")
    assert result.outcome is Outcome.PASS, result.reason
    counted = [row for row in result.results if "retired" in row]
    assert {row["suite"] for row in counted} == {"toll", "exceptions", "calls", "vsyscall"}
    own = compared(result.run, counted)
    ours = budgets.compiler_of(result.run) == budgets.OURS  # C has no exact budget by others
    assert own.rows > ((190 if arch == "amd64" else 130) if ours else 80)
    assert (own.rows, own.other) == (len(counted) if ours else own.rows, {})
    assert str(own) in [remark.text for remark in remarks(result.machine_run)]
    assert f"{own.rows} of {own.rows}</td>" in str(
        retired_table([read_machine(1, result.machine_run)])
    )
    counted[0]["retired"] += 1  # one more, and the row is reported
    assert [*compared(result.run, counted).other] == [counted[0]["id"]]
    counted[0]["retired"] = 0
    assert compared(result.run, counted).other[counted[0]["id"]][0] == 0


@pytest.mark.long
@pytest.mark.parametrize("arch", ["amd64", "i386"])
def test_a_register_that_is_named_and_not_there_is_said(suite: Any, arch: str) -> None:
    """Bochs' Haswell names all of them, by CPUID or its model, but has none: each read is #GP."""
    result = suite(arch, "corei7_haswell_4770", "bochs", "toll")
    for name in (
        *("IA32_APERF", "IA32_MPERF", "IA32_FIXED_CTR0 (RDPMC)", "IA32_FIXED_CTR1 (RDPMC)"),
        *("IA32_FIXED_CTR_CTRL", "IA32_PERF_GLOBAL_CTRL"),
    ):
        assert f"\n{name} is not here, though CPUID or " in result.text
    assert (result.run["clock"]["core"], result.run["clock"]["smis"]) == ("", -1)
    assert result.outcome is Outcome.PASS, result.reason


@pytest.mark.long
def test_so_are_those_of_amd(boot: Any) -> None:
    """Bochs' Ryzen should have the registers by its family, but each read is #GP."""
    result = boot("amd64", "ryzen", "suite=usystime samples=2", platform="bochs")
    for name in (
        *("IA32_APERF", "IA32_MPERF", "PERF_LEGACY_CTL0", "PERF_LEGACY_CTR0"),
        *("PERF_LEGACY_CTL1", "PERF_LEGACY_CTR1", "IA32_BIOS_SIGN_ID"),
    ):
        assert f"\n{name} is not here, though CPUID or " in result.text
    clock = result.run["clock"]
    assert (clock["core"], clock["smis"], clock["retired"]) == ("", -1, "")
    assert result.outcome is Outcome.PASS, result.reason


def test_where_instructions_are_counted_nothing_is_read(boot: Any) -> None:
    result = boot("amd64", "EPYC", "suite=toll samples=100")
    assert result.run["clock"]["smis"] == -1
    assert not any("smis" in row or "core" in row for row in result.results)
