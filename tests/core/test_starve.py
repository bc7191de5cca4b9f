"""Stack starvation: every way on every stack, survived; half protected, unprotected; the cost."""

import re
from dataclasses import replace
from typing import Any

import pytest

from tollgate import bench
from tollgate.machines.boot import ROOT, Boot
from tollgate.machines.outcome import Outcome
from tollgate.records import budgets

WAYS = ("push", "call", "store", "interrupt", "nmi", "step")
OWN = ("push", "call", "store")
FIXED_UP = ("one page short", "demand-zero", "copy-on-write")
HOPELESS = {
    "i386": ("unmapped", "read-only", "guard page", "page 0", "kernel text"),
    "amd64": ("unmapped", "read-only", "non-canonical", "guard page", "page 0", "kernel text"),
}
WHOLE = "suite=starve samples=20"
"""All cases except those that end in a reset: one boot for most tests."""
BOCHS = [("i386", "athlon64_clawhammer"), ("amd64", "corei7_haswell_4770")]


def chains(result: Any) -> dict[str, str]:
    """The guest's line for each case: its name, and its vectors to the end."""
    lines = (line for line in result.text.splitlines() if " -> " in line)
    return dict(line.split(": ", 1) for line in lines)


def details(result: Any) -> dict[str, list[str]]:
    """The details of the checks of each case."""
    found: dict[str, list[str]] = {}
    for check in result.checks:
        found.setdefault(check["name"], []).append(check["detail"])
    return found


def survives(arch: str, way: str) -> bool:
    """Whether a hopeless stack is harmless: nothing is pushed on it (i386: a task's IRET)."""
    return way == "nmi" or (arch == "amd64" and way not in OWN)


def link(arch: str, way: str, stack: str) -> str:
    """The chain of a case whose stack is repaired, as a pattern.

    The position of a tick depends on the length of other kernel paths: it may hit the exit.
    """
    tick = r"(IRQ 0 -> )?"
    fault = r"#PF\(%s\) cr2=[0-9a-f]+" % ("[23]" if arch == "amd64" or way == "step" else "2")
    task = r"(#NM -> )?" if arch == "i386" else ""  # a task switch sets CR0.TS
    if way == "nmi":
        return "NMI -> resumed"
    if way == "step":
        ends = f"{task}{fault} -> {tick}" if arch == "i386" else ""
        return rf"{tick}#DB -> {ends}resumed"
    lost = "IRQ 0, found in service -> " if way == "interrupt" else ""
    if arch == "i386":
        return rf"#PF -> #DF\(0\) cr2=[0-9a-f]+ -> {lost}{fault} -> {tick}resumed"
    return "IRQ 0 -> resumed" if way == "interrupt" else f"{fault} -> {tick}resumed"


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_every_way_on_every_stack(boot: Any, arch: str, way: str) -> None:
    result = boot(arch, "EPYC", WHOLE)
    assert {name for name in details(result) if name.startswith("trusted/")} == {
        f"trusted/{w}/{s}" for w in WAYS for s in (*FIXED_UP, *HOPELESS[arch])
    }
    survived(result, arch, way, 20)


@pytest.mark.long
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_five_hundred_times(boot: Any, arch: str, way: str) -> None:
    result = boot(arch, "EPYC", "suite=starve samples=500 only=trusted/")
    survived(result, arch, way, 500)


def survived(result: Any, arch: str, way: str, times: int) -> None:
    """Every stack has the expected end, each time."""
    assert result.outcome is Outcome.PASS, result.reason
    said, checked = chains(result), details(result)
    for stack in FIXED_UP:
        name = f"trusted/{way}/{stack}"
        assert checked[name] == [f"resumed, {times} times"]
        assert re.fullmatch(link(arch, way, stack), said[name]), said[name]
    for stack in HOPELESS[arch]:
        name = f"trusted/{way}/{stack}"
        if survives(arch, way):
            assert checked[name][0] == f"resumed, {times} times"
        else:
            signal = "SIGBUS" if stack == "non-canonical" else "SIGSEGV"
            assert checked[name][0] == f"{signal}, {times} times"
        dies = way == "step" or not survives(arch, way)
        assert len(checked[name]) == 1 + dies, "the case without an alternate stack"


@pytest.mark.long
@pytest.mark.parametrize(("arch", "cpu"), BOCHS)
def test_bochs_agrees(boot: Any, arch: str, cpu: str) -> None:
    """The whole suite in the strict emulator, each case twice. #DF is a task on i386, and has an
    IST stack on amd64. Every way on every stack ends as in QEMU."""
    result = boot(arch, cpu, "suite=starve samples=2", platform="bochs", timeout=60)
    assert result.outcome is Outcome.PASS, result.reason
    for way in WAYS:
        survived(result, arch, way, 2)


@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_from_cpl_3_they_are_ordinary_page_faults(boot: Any, arch: str) -> None:
    result = boot(arch, "EPYC", WHOLE)
    assert result.outcome is Outcome.PASS, result.reason
    said = chains(result)
    for way in OWN:
        for stack in FIXED_UP:
            chain = said[f"user/{way}/{stack}"]
            assert re.fullmatch(r"#PF\([67]\) cr2=[0-9a-f]+ -> resumed", chain)
    user = [name for name in said if name.startswith("user/")]
    assert not any("/interrupt/" in name or "/nmi/" in name for name in user)


def test_without_an_apic_no_nmi_is_sent(boot: Any) -> None:
    result = boot("i386", "EPYC,-apic", "suite=starve samples=1 only=trusted/nmi/")
    assert result.outcome is Outcome.PASS, result.reason
    assert result.checks == []
    assert all("EDX.APIC[bit 9] = 0" in s["reason"] for s in result.skips)
    assert len(result.skips) == len(FIXED_UP) + len(HOPELESS["i386"])


@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_half_protected_every_interrupt_is_lost(boot: Any, arch: str) -> None:
    result = boot(arch, "EPYC", WHOLE)
    assert result.outcome is Outcome.PASS, result.reason
    found = 20 if arch == "i386" else 0  # with IST no interrupt is lost, so none must be found
    told = details(result)
    assert told["interrupts, half protected"] == ["lost 20 of 20, found in service 0"]
    assert told["interrupts, protected"] == [f"lost 0 of 20, found in service {found}"]
    said = chains(result)
    assert said["interrupts, protected"].endswith(" -> resumed")
    assert said["interrupts, half protected"].endswith(" -> resumed")


@pytest.mark.long
def test_none_is_lost_in_any_phase_of_the_timer(boot: Any) -> None:
    """In Bochs a PIT tick that arrives while IF is off may disappear before it is taken."""
    words = "suite=starve samples=1000 only=lost"
    result = boot("i386", "athlon64_clawhammer", words, platform="bochs")
    assert details(result) == {
        "interrupts, half protected": ["lost 1000 of 1000, found in service 0"],
        "interrupts, protected": ["lost 0 of 1000, found in service 1000"],
    }


@pytest.mark.long
def test_a_tick_of_the_local_apic_is_found_as_well(boot: Any) -> None:
    """Without a PIT the local APIC makes the ticks. (On amd64, with IST, no tick is lost.)"""
    extra = ("-M", "microvm,pit=off")
    result = boot("i386", "EPYC", "suite=starve samples=20 only=lost", extra=extra)
    assert result.outcome is Outcome.PASS, result.reason
    assert "APIC timer, found in service -> #PF(2)" in result.text
    assert details(result) == {
        "interrupts, half protected": ["lost 20 of 20, found in service 0"],
        "interrupts, protected": ["lost 0 of 20, found in service 20"],
    }


def test_protection_ends_with_the_program(boot: Any, arch: str = "i386") -> None:
    """A program that dies half protected leaves full protection to the next one."""
    result = boot(arch, "EPYC", "suite=starve,starve samples=5 only=lost")
    assert result.outcome is Outcome.PASS, result.reason
    assert len(result.checks) == 4


@pytest.mark.parametrize("cpu", ["EPYC", pytest.param("Skylake-Client", marks=pytest.mark.long)])
def test_the_red_zone_is_changed_as_the_document_says(boot: Any, cpu: str) -> None:
    """The interrupt's frame and the stub's pushes: nine words of eight bytes."""
    result = boot("amd64", cpu, WHOLE)
    assert result.outcome is Outcome.PASS, result.reason
    changed = re.search(r"red zone: (\d+) of 128 bytes changed through plain gates", result.text)
    assert changed is not None
    trusted = (ROOT / "docs" / "trusted.md").read_text()
    assert f"through plain gates change {changed[1]} of the 128 bytes" in trusted
    assert details(result)["red zone, IST"] == ["0 of 128 bytes changed"]


def test_a_handler_on_the_ist_stack_is_reentered(boot: Any) -> None:
    result = boot("amd64", "EPYC", WHOLE)
    assert result.outcome is Outcome.PASS, result.reason
    assert details(result)["IST re-entry, same stack"][0] == "5 of 5 words changed"
    assert set(details(result)["IST re-entry, off the stack"]) == {"0 of 5 words changed"}


@pytest.mark.figures
@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_recovery_costs_what_its_budget_says(boot: Any, arch: str) -> None:
    result = boot(arch, "EPYC", WHOLE)
    assert result.outcome is Outcome.PASS, result.reason
    medians = {r["id"].split("/")[0]: r["median"] for r in result.results}
    assert budgets.differences(result, "starve") == {}, "tests/budgets.toml"
    ratio = medians["trusted"] * 100 // medians["user"]
    sentence = "recovery from starvation : stack growth at CPL 3 = "
    assert f"{sentence}{ratio // 100}.{ratio % 100:02}" in result.text


@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_unprotected_the_machine_resets(boot: Any, arch: str) -> None:
    result = boot(arch, "EPYC", "suite=starve only=unprotected", resets=True)
    assert bench.verdict(result) is Outcome.PASS
    assert re.fullmatch(r"#PF\(2\) cr2=7dffff\w\w -> #DF\(0\) -> triple fault", result.chain)


@pytest.mark.long
@pytest.mark.parametrize(("arch", "cpu"), BOCHS)
def test_unprotected_in_bochs(boot: Any, arch: str, cpu: str) -> None:
    result = boot(arch, cpu, "suite=starve only=unprotected", platform="bochs", resets=True)
    assert bench.verdict(result) is Outcome.PASS
    assert result.chain == "... -> #DF(0) -> #PF -> triple fault"


def test_a_boot_that_must_reset_may_not_pass(boot: Any) -> None:
    result = boot("i386", "EPYC", "suite=usystime samples=1", resets=True)
    assert result.outcome is Outcome.PASS
    assert bench.verdict(result) is Outcome.FAIL


def test_the_bench_adds_a_boot_that_must_reset() -> None:
    boots = bench.machines(bench.Choice(suite="toll,starve"))
    plain = [b for b in boots if not b.resets]
    words = ("suite=starve", "only=unprotected")
    assert [b for b in boots if b.resets] == [replace(b, words=words, resets=True) for b in plain]
    assert len({b.slug for b in boots}) == len(boots)
    assert not any(b.resets for b in bench.machines(bench.Choice(suite="toll")))
    assert Boot("i386").resets is False


@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_ring_3_cannot_take_protection_away(boot: Any, tree: Any, arch: str) -> None:
    """/bin/starve requests it like /trusted/starve, and is refused: no interrupt is lost."""
    result = boot(arch, "EPYC", "suite=starve only=refused")
    assert result.outcome is Outcome.PASS, result.reason
    assert details(result)["user/refused"] == ["half protected: -1, remembered: -1"]
