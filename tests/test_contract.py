"""What entries promise to programs, and what happens to programs that break the rules."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest

from tollgate.errors import TollgateError
from tollgate.qemu import qmp

MACHINES = [("i386", "EPYC"), ("i386", "pentium"), ("amd64", "Skylake-Client"), ("amd64", "EPYC")]
IDS = [f"{arch}-{cpu}" for arch, cpu in MACHINES]

FAULTS = [
    "SIGSEGV-write-null",
    "SIGSEGV-jump-null",
    "SIGSEGV-jump-limit",
    "SIGSEGV-jump-kernel",
    "SIGSEGV-write-kernel",
    "SIGSEGV-read-kernel",
    "SIGSEGV-write-text",
    "SIGSEGV-write-gate-page",
    "SIGSEGV-execute-stack",
    "SIGSEGV-stack-overflow",
    "SIGSEGV-bad-stack",
    "SIGSEGV-v86",
    "SIGSEGV-bad-sysenter",
    "SIGSEGV-cli",
    "SIGSEGV-hlt",
    "SIGSEGV-out",
    "SIGSEGV-cr3",
    "SIGSEGV-int-0e",
    "SIGSEGV-int-08",
    "SIGSEGV-int-20",
    "SIGSEGV-int-81",
    "SIGSEGV-kernel-ds",
    "SIGFPE-divide",
    "SIGILL-undefined",
    "SIGILL-row-gone",
    "SIGSEGV-way-shut",
    "SIGTRAP-breakpoint",
    "SIGTRAP-single-step",
]


PRIVILEGED = {"read-kernel", "bad-sysenter", "cli", "hlt", "out", "cr3", "kernel-ds"}
"""What nothing forbids at CPL 0, besides INT of the kernel's own vectors."""


def origins(arch: str, fault: str) -> list[str]:
    """The folders whose program dies of this fault."""
    what = fault.split("-", 1)[1]
    forbidden = what in PRIVILEGED or what.startswith("int-")
    both = ["bin", "compat"] if arch == "amd64" and what != "way-shut" else ["bin"]
    return both if forbidden else [*both, "trusted"]


def failed_checks(result: Any) -> list[str]:
    return [f"{c['name']}: {c['detail']}" for c in result.checks if not c["ok"]]


@pytest.mark.parametrize(("arch", "cpu"), MACHINES, ids=IDS)
def test_registers_flags_segments_fpu_and_arguments(boot: Any, arch: str, cpu: str) -> None:
    result = boot(arch, cpu, "suite=contract")
    assert failed_checks(result) == []
    assert result.outcome.value == "pass"
    assert len(result.checks) >= 80


@pytest.mark.parametrize(("arch", "cpu"), MACHINES, ids=IDS)
def test_an_exception_or_interrupt_at_any_instruction_of_any_entry(
    boot: Any, arch: str, cpu: str
) -> None:
    result = boot(arch, cpu, "suite=sweep")
    assert failed_checks(result) == []
    assert result.outcome.value == "pass"


@pytest.mark.parametrize(("arch", "cpu"), MACHINES, ids=IDS)
def test_nmis_from_outside_disturb_nothing(boot: Any, arch: str, cpu: str) -> None:
    sent = 0

    def send(line: str, directory: Any) -> None:
        nonlocal sent
        if line.startswith("ok "):
            with suppress(TollgateError):  # the machine may be at its end already
                qmp(directory, "inject-nmi", {})
                sent += 1

    result = boot(arch, cpu, "suite=contract,sweep,sweep", qmp=True, watch=send)
    assert failed_checks(result) == []
    assert result.outcome.value == "pass"
    assert sent > 2
    taken = [line for line in result.text.splitlines() if line.endswith("NMIs were taken.")]
    assert taken and int(taken[0].split()[0]) > 0


@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_the_list_of_faults_is_whole(boot: Any, arch: str) -> None:
    listed = boot(arch, "EPYC", "suite=fault").text.splitlines()
    assert sorted(set(FAULTS)) == sorted({line for line in listed if line.startswith("SIG")})


def deaths(result: Any) -> list[str]:
    return [line for line in result.text.splitlines() if ": killed by " in line]


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_a_fault_ends_the_program_and_not_the_machine(boot: Any, arch: str, fault: str) -> None:
    cpu = "Haswell" if "sysenter" in fault else "phenom" if "v86" in fault else "EPYC"
    result = boot(arch, cpu, f"suite=fault,usystime samples=10 only={fault}")
    if arch == "i386" and fault == "SIGSEGV-execute-stack":
        assert "lived through" in result.text  # two-level paging has no NX
        return
    signal = fault.split("-")[0]
    programs = [f"/{folder}/fault" for folder in origins(arch, fault)]
    assert [d.split(":")[0] for d in deaths(result)] == programs
    assert all(f"killed by {signal}:" in death for death in deaths(result))
    assert result.outcome.value == "fail"
    assert any(r["suite"] == "usystime" for r in result.results), "the next program did not run"


def test_sysexit_to_an_address_that_is_not_canonical(boot: Any) -> None:
    """Bochs raises #GP at CPL 0, as Intel does; QEMU at CPL 3."""
    words = "suite=fault,usystime samples=10 only=SIGSEGV-bad-sysenter"
    result = boot("amd64", "corei7_haswell_4770", words, platform="bochs")
    assert [death.split(":")[0] for death in deaths(result)] == ["/bin/fault", "/compat/fault"]
    assert "the processor refused to return to it" in result.text
    assert any(r["suite"] == "usystime" for r in result.results), "the next program did not run"


@pytest.mark.parametrize("variant", ["standard", "nowork", "service", "bare"])
@pytest.mark.parametrize("mechanism", ["int", "callgate", "sysenter", "syscall"])
@pytest.mark.parametrize(
    ("arch", "cpu", "origin"),
    [
        ("i386", "EPYC", "user"),
        ("i386", "EPYC", "trusted"),
        ("amd64", "Skylake-Client", "user"),
        ("amd64", "Skylake-Client", "compat"),
        ("amd64", "EPYC", "compat"),
        ("amd64", "EPYC", "trusted"),
    ],
)
def test_a_single_step_into_a_gate_is_the_programs(
    boot: Any, arch: str, cpu: str, origin: str, mechanism: str, variant: str
) -> None:
    if (cpu, origin, mechanism) in {
        ("Skylake-Client", "compat", "syscall"),
        ("EPYC", "compat", "sysenter"),
        ("EPYC", "trusted", "sysenter"),
    }:
        pytest.skip("this processor has no such row")
    if arch == "amd64" and (origin, mechanism, variant) == ("trusted", "syscall", "bare"):
        pytest.skip("FMASK takes TF with the other flags, and a bare jump gives none back")
    row = f"{origin}/{mechanism}/{variant}"
    result = boot(arch, cpu, f"suite=fault,usystime samples=10 only=SIGTRAP-step-{row}")
    assert len(deaths(result)) == 1
    assert "killed by SIGTRAP: #DB" in deaths(result)[0]
    assert any(r["suite"] == "usystime" for r in result.results), "the next program did not run"
