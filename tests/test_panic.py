"""A fault of the kernel's own: words, registers and a backtrace by symbol, and a failing exit."""

from __future__ import annotations

import pytest

from tollgate.boot import ROOT, Boot
from tollgate.child import run
from tollgate.debug import session


def panic_text(arch: str, command: str) -> str:
    """What the kernel says when gdb has spoilt its registers inside counter_try()."""
    with session(Boot(arch, cpu="Haswell", words=("suite=usystime",))) as started:
        commands = ["hbreak *counter_try", "continue", command, "delete", "continue"]
        gdb = started.gdb(None, headless=True)
        for line in commands:
            gdb += ["-ex", line]
        run(gdb, 30, cwd=ROOT, merge=True)
        return started.serial.read_text("ascii", "replace")


@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_a_kernel_fault_is_a_panic_with_registers_and_backtrace(arch: str) -> None:
    text = panic_text(arch, "set $pc = 0")
    assert "panic: #PF, page fault in the kernel" in text
    assert ("eip" if arch == "i386" else "rip") in text
    assert "kernel_main+" in text  # the backtrace goes by symbol


@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_a_kernel_stack_overflow_is_a_panic_and_no_reset(arch: str) -> None:
    text = panic_text(arch, "set $sp = (long)&boot_stack_top - 0x4000")
    assert "panic: #" in text
    assert "double fault" in text or "on a bad stack" in text
