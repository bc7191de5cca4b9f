"""The exceptions table: every gate kind, within its budget, repeatable, in both emulators."""

from typing import Any

import pytest

from tollgate.records import budgets

from ..emulators import EXCEPTIONS, known

ABORTED = {"ud": 0, "bp": 0, "db": 1, "gp": 1, "pf": 1, "selfint": 0}
"""Instructions that Bochs counts and QEMU does not (docs/measuring.md, "Exceptions")."""


def expected(arch: str) -> dict[str, int]:
    """Each row's total in tests/budgets.toml."""
    return {
        row: budgets.highest(budget) for row, budget in budgets.load("exceptions", arch).items()
    }


def medians(result: Any) -> dict[str, int]:
    return {r["id"]: r["median"] for r in result.results if r["suite"] == "exceptions"}


@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_rows_cost_what_their_budgets_say(boot: Any, arch: str) -> None:
    result = boot(arch, "EPYC", "suite=exceptions samples=100")
    assert result.outcome.value == "pass"
    assert budgets.differences(result, "exceptions") == {}, "tests/budgets.toml"
    for row in (r for r in result.results if r["suite"] == "exceptions"):
        assert row["residue"] == 0, row["id"]
        assert row["median"] == sum(s["median"] for s in row["sections"]), row["id"]
        around = 2 if "/selfint/" in row["id"] else 0  # CLI before MP1 and after MP8
        assert row["min"] == row["max"] == row["batch"] - around, row["id"]


@pytest.mark.long
@pytest.mark.parametrize(("arch", "cpu"), [("i386", "p3_katmai"), ("amd64", "corei7_haswell_4770")])
def test_bochs_counts_the_aborted_instructions_too(suite: Any, arch: str, cpu: str) -> None:
    result = suite(arch, cpu, "bochs", "exceptions")
    assert result.outcome.value == "pass"
    skipped = {s["id"] for s in result.skips if s["suite"] == "exceptions"}
    assert skipped <= known(EXCEPTIONS, result.run["tools"]["emulator"])
    assert medians(result) == {
        row: cost + ABORTED[row.split("/")[1]]
        for row, cost in expected(arch).items()
        if row not in skipped
    }


@pytest.mark.long
@pytest.mark.parametrize(("arch", "cpu"), [("i386", "p3_katmai"), ("amd64", "ryzen")])
def test_two_runs_in_bochs_are_byte_identical(boot: Any, arch: str, cpu: str) -> None:
    words = "suite=exceptions samples=20"
    first, second = (boot(arch, cpu, words, platform="bochs", fresh=True) for _ in range(2))
    assert first.outcome.value == "pass"
    assert first.text == second.text


def test_each_suite_measures_its_own_rows(boot: Any) -> None:
    result = boot("amd64", "Skylake-Client", "suite=toll,exceptions samples=1")
    suites = {r["id"]: r["suite"] for r in result.results if r["suite"] != "control"}
    assert suites["user/int/standard"] == "toll"
    assert suites["user/pf/move"] == "exceptions"
    assert set(suites.values()) == {"toll", "exceptions"}


def test_without_an_apic_nothing_interrupts_itself(boot: Any) -> None:
    result = boot("amd64", "EPYC,-apic", "suite=exceptions samples=1 only=selfint")
    assert result.outcome.value == "pass"
    selfint = [row for row in expected("amd64") if "/selfint/" in row]
    assert sorted(s["id"] for s in result.skips) == sorted(selfint)
    assert all("EDX.APIC[bit 9] = 0" in s["reason"] for s in result.skips)


def test_a_processor_without_sysenter_has_them_all(boot: Any) -> None:
    result = boot("i386", "pentium", "suite=exceptions samples=1")
    assert result.outcome.value == "pass"
    assert medians(result) == expected("i386")
