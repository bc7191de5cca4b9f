"""Machines that lack common features: each runs to its end, or says in a sentence why it cannot.

A table: the missing feature, the kernels, and the expected message. A few are in every run; each of
the others is tried with one of its kernels, alternately.
"""

import fcntl
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tollgate.machines import qemu
from tollgate.machines.boot import ARCHES, BUILD, INITRD, KERNEL, Boot
from tollgate.machines.debug import session
from tollgate.machines.outcome import Outcome

from .test_iso import Machine, machine  # noqa: F401

QUICK = "suite=usystime samples=2 then=stop"
LONG_MODE = "AMD: SYSENTER is #UD in long mode (AMD APM 3, SYSENTER)"
LACKS = "tollgate: CPUID.01H:EDX lacks MSR[bit 5], CMOV[bit 15] or FXSR[bit 24], which long mode"


@dataclass(frozen=True)
class Odd:
    """A machine; `short`: the kernels that try it in every run; `says`: the expected message."""

    arguments: str = ""
    cpu: str = "EPYC"
    memory: int = 64
    says: tuple[str, ...] = ()
    refused: bool = False
    arches: tuple[str, ...] = ARCHES
    short: tuple[str, ...] = ()


TABLE: dict[str, Odd] = {
    "q35": Odd("-M q35"),
    "isapc": Odd("-M isapc", cpu="pentium3", arches=("i386",)),
    "isapc with long mode": Odd("-M isapc"),
    "microvm": Odd("-M microvm", short=("amd64",)),
    "microvm without a clock": Odd("-M microvm,rtc=off", says=("There is no date: ",)),
    "microvm without a PIT": Odd(
        "-M microvm,pit=off",
        says=("The PIT does not interrupt: the local APIC's timer ticks",),
        short=("i386",),
    ),
    "microvm without PIT and APIC": Odd(
        "-M microvm,pit=off", cpu="EPYC,-apic", says=("does not interrupt: nothing else ticks",)
    ),
    "microvm without anything": Odd(
        "-M microvm,pit=off,pic=off,rtc=off", says=("does not interrupt: nothing else ticks",)
    ),
    "no screen": Odd("-vga none"),
    "cirrus": Odd("-vga cirrus"),
    "virtio": Odd("-device virtio-vga"),
    "a stick": Odd("-device qemu-xhci -device usb-storage,drive=d -drive if=none,id=d,file=kernel.elf,format=raw,readonly=on"),  # noqa: E501
    "no keyboard": Odd("-M pc,i8042=off"),
    "no keyboard, q35": Odd("-M q35,i8042=off"),
    "four processors": Odd("-smp 4"),
    "without SEP": Odd(cpu="EPYC,-sep"),
    "without NX": Odd(cpu="EPYC,-nx"),
    "without PGE": Odd(cpu="EPYC,-pge"),
    "without APIC": Odd(cpu="EPYC,-apic"),
    "without SSE": Odd(cpu="EPYC,-sse,-sse2"),
    "without any of them": Odd(
        "-vga none -M pc,i8042=off", cpu="EPYC,-sep,-nx,-pge,-apic", short=("amd64",)
    ),
    "without FXSR": Odd(cpu="EPYC,-fxsr", arches=("i386",)),
    "without SYSCALL": Odd(cpu="EPYC,-syscall", arches=("i386",)),
    "long mode without FXSR": Odd(
        cpu="EPYC,-fxsr", arches=("amd64",), short=("amd64",), refused=True, says=(LACKS,)
    ),
    "long mode without CMOV": Odd(
        cpu="EPYC,-cmov", arches=("amd64",), refused=True, says=(LACKS,)
    ),
    "long mode without SYSCALL": Odd(
        cpu="EPYC,-syscall",
        arches=("amd64",),
        short=("amd64",),
        refused=True,
        says=("tollgate: CPUID.80000001H:EDX.SYSCALL[bit 11] = 0: programs of 64 bits",),
    ),
    "without TSC": Odd(
        cpu="EPYC,-tsc", refused=True, says=("tollgate: CPUID.01H:EDX.TSC[bit 4] = 0: ",)
    ),
    "without 4 MiB pages": Odd(
        cpu="EPYC,-pse", arches=("i386",), refused=True, says=("CPUID.01H:EDX.PSE[bit 3] = 0",)
    ),
    **{f"{size} MiB": Odd(memory=size) for size in (32, 128, 767, 1024, 3500, 4096, 8192)},
}  # fmt: skip


def cases() -> Iterator[Any]:
    """Each machine with each of its kernels."""
    for number, (name, odd) in enumerate(TABLE.items()):
        for arch in odd.short or odd.arches[number % len(odd.arches) :][:1]:
            marks = [] if arch in odd.short else [pytest.mark.long]
            yield pytest.param(name, arch, id=f"{name}-{arch}", marks=marks)


@pytest.mark.parametrize(("name", "arch"), [*cases()])
def test_runs_or_says_why_not(
    boot: Any, monkeypatch: pytest.MonkeyPatch, name: str, arch: str
) -> None:
    monkeypatch.setattr(qemu, "OWN", ())
    odd = TABLE[name]
    result = boot(arch, odd.cpu, QUICK, memory=odd.memory, extra=odd.arguments.split(), whole=True)
    assert result.outcome is (Outcome.PANIC if odd.refused else Outcome.PASS), result.reason
    for sentence in odd.says:
        assert sentence in result.text
    assert bool(result.results) != odd.refused


MANY = "toll,exceptions,faults,usystime,around,vsyscall,calls,switch,spawn,starve,copy,html,web"
FEW = "toll,exceptions,vsyscall,calls,switch"
"""Suites that use SYSENTER by themselves."""
IN = "SYSENTER, tried at the boot: #UD, invalid opcode"
TRIED = {
    "user/sysenter/bare": IN,
    "compat/sysenter/bare": "SYSEXIT, tried at the boot: #UD, invalid opcode",
}
"""Expected reasons. QEMU has SYSENTER and SYSEXIT in long mode only on Intel's processors."""


@pytest.mark.parametrize(
    ("vendor", "words"),
    [
        ("CentaurHauls", FEW),
        *(
            pytest.param(vendor, MANY, marks=pytest.mark.long)
            for vendor in ("CentaurHauls", "  Shanghai  ", "HygonGenuine", "Nobody's own")
        ),
    ],
)
def test_what_a_vendor_lacks_is_found_by_trying(boot: Any, vendor: str, words: str) -> None:
    words = f"suite={words} samples=2 then=stop"
    result = boot("amd64", "qemu64", words, extra=("-cpu", f"qemu64,vendor={vendor}"))
    assert result.outcome is Outcome.PASS, result.reason
    assert result.run["cpu"]["vendor"] == vendor
    skipped = {r.data["id"]: r.data["reason"] for r in result.records if r.type == "skip"}
    if vendor == "HygonGenuine":
        assert skipped.items() >= dict.fromkeys(TRIED, LONG_MODE).items()
    else:
        newer = skipped["compat/sysenter/bare"] == IN  # from QEMU 8 on, SYSENTER is missing, too
        assert skipped.items() >= (dict.fromkeys(TRIED, IN) if newer else TRIED).items()
    assert any(row["id"] == "compat/syscall/standard" for row in result.results)


def kernel(arch: str, words: str = QUICK) -> tuple[str, ...]:
    """A kernel without a loader."""
    files = ("-kernel", str(BUILD / KERNEL[arch]), "-initrd", str(BUILD / INITRD[arch]))
    return (*files, "-append", words)


@pytest.mark.parametrize("arch", ["i386", pytest.param("amd64", marks=pytest.mark.long)])
def test_no_serial_line(machine: Any, arch: str) -> None:  # noqa: F811
    guest: Machine = machine(*kernel(arch), "-M", "q35", "-smp", "4", line="none")
    guest.wait(lambda: guest.ask("query-status")["status"] == "shutdown")
    screen = guest.text_screen()
    assert "There is no COM1: " in screen
    assert "\ntollgate: " in screen
    registers = guest.ask("human-monitor-command", **{"command-line": "info registers -a"})
    others = registers.split("CPU#")[2:]
    assert len(others) == 3
    assert all("HLT=1" in one for one in others), "they have never been started"


@pytest.mark.parametrize("arch", ["amd64", pytest.param("i386", marks=pytest.mark.long)])
def test_a_serial_line_that_takes_nothing(machine: Any, arch: str, tmp_path: Path) -> None:  # noqa: F811
    """It loses the bytes that were not accepted, and waits at most a second."""
    for end in ("in", "out"):
        os.mkfifo(tmp_path / f"line.{end}")
    full = os.open(tmp_path / "line.out", os.O_RDWR)
    fcntl.fcntl(full, fcntl.F_SETPIPE_SZ, 4096)
    os.write(full, bytes(4096))
    guest: Machine = machine(*kernel(arch), "-M", "q35", line=f"pipe:{tmp_path}/line")
    guest.wait(lambda: guest.ask("query-status")["status"] == "shutdown")
    screen = guest.text_screen()
    os.close(full)
    assert "COM1 has not taken " in screen
    assert "\ntollgate: " in screen


@pytest.mark.long
@pytest.mark.parametrize("arch", ARCHES)
def test_who_cannot_be_switched_off_says_so(machine: Any, arch: str) -> None:  # noqa: F811
    words = QUICK.replace("then=stop", "then=menu")
    guest: Machine = machine(*kernel(arch, words), "-M", "isapc", "-cpu", "EPYC")
    guest.wait(lambda: "What next?" in guest.text())
    guest.ask("send-key", keys=[{"type": "qcode", "data": "o"}])
    sentence = "This machine does not switch itself off: press its button."
    guest.wait(lambda: sentence in guest.text())
    assert sentence in guest.text_screen()
    assert guest.ask("query-status")["status"] == "running"


LEFT = {"TSD": 1 << 2, "PCE": 1 << 8, "OSXSAVE": 1 << 18}
"""CR4 bits that would change a program's rights, and that QEMU's gdb can set."""


@pytest.mark.patient
@pytest.mark.parametrize("arch", ARCHES)
def test_what_a_loader_left_in_cr4_is_cleared(arch: str) -> None:
    """The bits are set as if by firmware, before the kernel's first access to CR4."""
    words = (f"set $cr4 |= {sum(LEFT.values())}", 'printf "left %d\\n", $cr4', "finish")
    with session(Boot(arch, cpu="Skylake-Client", words=tuple(QUICK.split()))) as started:
        command = started.gdb(None, headless=False)
        for word in ("tbreak protect_init", "continue", *words, 'printf "now %d\\n", $cr4'):
            command += ["-ex", word]
        said = started.run([*command, "-ex", "kill"], 60, "quit\n").stdout
    left, now = (int(said.partition(f"\n{word} ")[2].split()[0]) for word in ("left", "now"))
    assert {bit for bit, mask in LEFT.items() if left & mask} == set(LEFT), said
    assert not [bit for bit, mask in LEFT.items() if now & mask], said
