"""The suite `switch`: messages to another process, CR3, and the contract of toll_hand."""

from typing import Any

import pytest

from tollgate.records import budgets

from ..conftest import UNHURRIED

PROMISED = {"pipe": 1200, "hand": 250}
"""Upper limits of the budgets, user and trusted; i386's trusted program uses `direct` to hand."""


def medians(result: Any, suite: str = "switch") -> dict[str, int]:
    return {r["id"]: r["median"] for r in result.results if r["suite"] == suite}


@pytest.mark.figures
@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_rows_cost_what_their_budgets_say(boot: Any, arch: str) -> None:
    result = boot(arch, "EPYC", "suite=switch samples=100")
    assert result.outcome.value == "pass", result.reason
    assert budgets.differences(result, "switch") == {}, "tests/budgets.toml"
    spread = {r["id"] for r in result.results if r["suite"] == "switch" and r["min"] != r["max"]}
    assert not spread, f"not the same each time: {spread}"


def measured(budget: Any) -> int:
    """With the compiler that it was measured with; for another compiler the upper limit."""
    return max(int(figure) for name, figure in budget.items() if name != "most")


def test_budgets_stay_below_their_ceilings() -> None:
    for arch in ("i386", "amd64"):
        rows = budgets.load("switch", arch)
        for row, budget in rows.items():
            origin, _, how = row.split("/")
            if origin != "compat" and how in PROMISED and (arch, row) != ("i386", BY_INT):
                assert measured(budget) <= PROMISED[how], (arch, row)
        assert measured(rows["trusted/ipc/direct"]) <= PROMISED["hand"], arch


def added(result: Any) -> dict[tuple[str, bool], set[int]]:  # by part, and whether it switches
    assert result.outcome.value == "pass", result.reason
    rows = medians(result)
    found: dict[tuple[str, bool], set[int]] = {}
    for row, cost in rows.items():
        base, _, part = row.partition("+")
        if part:
            found.setdefault((part, not base.endswith("-alone")), set()).add(cost - rows[base])
    return found


RSB = {("rsb", True): {2 * 82}, ("rsb", False): {0}}
IBPB = {("ibpb", True): {2 * 7}, ("ibpb", False): {0}}  # 3 of 7 compare the address spaces


@pytest.mark.figures
@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_a_part_adds_its_instructions_to_each_switch(boot: Any, arch: str) -> None:
    result = boot(arch, "EPYC", "suite=switch samples=20 parts=all")
    assert added(result) == RSB
    assert budgets.differences(result, "switch") == {}
    reasons = {s["reason"] for s in result.skips if s["id"].endswith("+ibpb")}
    assert reasons == {"CPUID.07H:EDX[bit 26] and CPUID.80000008H:EBX.IBPB[bit 12] = 0"}


@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_no_part_stays_that_a_program_has_left(boot: Any, arch: str) -> None:
    """The row of the next program is as without parts."""
    words = "suite=leftover,spawn only=user/fork samples=20"
    forks, plain = (
        medians(boot(arch, "EPYC", words + parts), "spawn")["user/fork"]
        for parts in (" parts=all", "")
    )
    assert forks == plain


@pytest.mark.long
@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_bochs_adds_the_same_and_has_ibpb(suite: Any, arch: str) -> None:
    assert added(suite(arch, "tigerlake", "bochs", "switch parts=all")) == RSB | IBPB


BY_INT = "trusted/ipc/hand"
"""On i386 INT 80h from CPL 0 switches stacks in software, there and back."""


@pytest.mark.parametrize(
    ("arch", "cpu", "reason"),
    [
        ("i386", "EPYC", "CR4.PCIDE needs long mode"),
        ("amd64", "EPYC", "CPUID.01H:ECX.PCID[bit 17] = 0"),
    ],
)
def test_without_pcid_the_bit_is_named(boot: Any, arch: str, cpu: str, reason: str) -> None:
    result = boot(arch, cpu, "suite=switch samples=100")
    skips = {s["id"]: s["reason"] for s in result.skips if "/pcid" in s["id"]}
    assert len(skips) == 4
    assert all(why.startswith(reason) for why in skips.values())


@pytest.mark.long
@pytest.mark.parametrize(("arch", "cpu"), [("i386", "p3_katmai"), ("amd64", "corei7_haswell_4770")])
def test_bochs_switches_too(suite: Any, arch: str, cpu: str) -> None:
    result = suite(arch, cpu, "bochs", "switch")
    assert result.outcome.value == "pass", result.reason
    rows = medians(result)
    assert rows["trusted/cr3/reload"] <= 2
    if arch == "amd64":
        assert rows["trusted/cr3/pcid"] == rows["trusted/cr3/pcid-flush"] == 1


@pytest.mark.parametrize(
    ("arch", "cpu", "platform", "extra"),
    [
        pytest.param("i386", "EPYC", "qemu-icount", UNHURRIED, id="i386"),
        pytest.param("amd64", "EPYC", "qemu-icount", UNHURRIED, id="amd64"),
        *(
            pytest.param(*machine, (), marks=pytest.mark.long)
            for machine in (
                ("i386", "EPYC", "qemu-icount"),
                ("i386", "pentium", "qemu-icount"),
                ("amd64", "EPYC", "qemu-icount"),
                ("amd64", "Haswell", "qemu-icount"),
                ("amd64", "corei7_haswell_4770", "bochs"),
            )
        ),
    ],
)
def test_a_hand_over_survives_all_that_can_come_between(
    suite: Any, arch: str, cpu: str, platform: str, extra: tuple[str, ...]
) -> None:
    result = suite(arch, cpu, platform, "handoff", extra)
    assert result.outcome.value == "pass", result.reason
    assert result.text.count("1..") == (2 if arch == "i386" else 3)
