"""A fault in the kernel itself: a message, registers, a symbolic backtrace, a failing exit."""

import re

import pytest

from tollgate.machines.boot import Boot
from tollgate.machines.debug import session

pytestmark = pytest.mark.patient


def panic_text(arch: str, *spoil: str, place: str = "counter_try", suite: str = "usystime") -> str:
    """The kernel's messages after gdb has corrupted its registers inside a function."""
    with session(
        Boot(arch, cpu="Haswell", words=(*f"suite={suite}".split(), "samples=1"))
    ) as started:
        commands = [f"hbreak *{place}", "continue", *spoil, "delete", "continue"]
        gdb = started.gdb(None, headless=True)
        for line in commands:
            gdb += ["-ex", line]
        started.run(gdb, 30)
        return started.serial.read_text("ascii", "replace")


@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_a_kernel_fault_is_a_panic_with_registers_and_backtrace(arch: str) -> None:
    text = panic_text(arch, "set $pc = 0")
    assert "panic: #PF, page fault in the kernel" in text
    assert ("eip" if arch == "i386" else "rip") in text
    assert "kernel_main+" in text  # the backtrace is symbolic


def test_names_of_entries_are_right_at_another_place() -> None:
    named = [
        panic_text(
            *("amd64", "set *(short *)$pc = 0x0b0f"),
            place=f"((char *)&'clean_user_syscall_standard_entry.MP6' + {at})",
            suite=f"usystime align={at}",
        )
        for at in (0, 37)
    ]
    lines = [re.search(r"^  \w+ (clean_\S+)", text, re.MULTILINE) for text in named]
    assert lines[0] and lines[1] and lines[0][1] == lines[1][1], named


@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_a_kernel_stack_overflow_is_a_panic_and_no_reset(arch: str) -> None:
    text = panic_text(arch, "set $sp = (long)&boot_stack_top - 0x4000")
    assert "panic: #" in text
    assert "double fault" in text or "on a bad stack" in text


@pytest.mark.long
@pytest.mark.parametrize("arch", ["amd64"])
def test_a_fault_on_no_kernel_stack_is_a_panic(arch: str) -> None:
    """While a trusted program runs, each fault has its own stack, and checks the other stack."""
    spoil = ("set $rdi = 6", "set $sp = (long)&boot_stack_top - 64", "set $pc = -0x20000000")
    place = "clean_user_getpid if *(char *)&cpu_trusted"
    text = panic_text(arch, *spoil, place=place, suite="toll only=trusted/call/bare")
    assert "panic: #PF, page fault in the kernel on a bad stack" in text
    assert re.search(r"\brsp ffffffff8\w+", text), "its registers are not shown"
