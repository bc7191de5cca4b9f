"""The model-specific registers for SYSENTER and SYSCALL, from the kernel's copies of its writes."""

from __future__ import annotations

from collections.abc import Iterator

import gdb
from vocabulary import machine, where
from vocabulary.machine import Word

ENTRIES = ("IA32_SYSENTER_EIP", "IA32_LSTAR", "IA32_CSTAR")
WIDE = ("IA32_LSTAR", "IA32_CSTAR", "IA32_FMASK")
"""Only in long mode."""


def kept(name: str) -> int:
    """The kernel's last write to a register that it keeps a copy of (kernel/core/cpu/msr.h)."""
    return machine.evaluate_wide(f"msrs_kept.{name}_kept")


def _selectors(star: int) -> str:
    return f"kernel CS {star >> 32 & 0xFFFF:#x}, the program's {star >> 48:#x}"


def _words(name: str, value: int) -> str:
    if not value:
        return "shut" if name == "IA32_SYSENTER_CS" else "not written yet"
    if name in ENTRIES:
        return f"<{machine.symbol_at(value)}>"
    if name == "IA32_STAR":
        wide = machine.arch() == "amd64"
        return _selectors(value) + ("" if wide else f", <{machine.symbol_at(value & 0xFFFFFFFF)}>")
    if name == "IA32_FMASK":
        return "SYSCALL clears " + " ".join(n for n, bit in where.FLAGS.items() if value & bit)
    return "CS, and CS + 8 is SS"


def msrs() -> Iterator[str]:
    """msrs: where SYSENTER and SYSCALL lead, as the kernel has written it.

    gdb cannot read model-specific registers, so the kernel keeps what it writes; SYSENTER_ESP is
    cpu_stack. SDM 2B, SYSENTER; AMD APM 2, "SYSCALL and SYSRET MSRs".
    """
    numbers = machine.constants()
    if machine.register("ip") < numbers["KERNEL_BASE"] and not machine.register("cs") & 3:
        raise gdb.GdbError("The kernel does not run yet: it has written none.")
    yield "as the kernel has written them last:"
    for name in ("IA32_SYSENTER_CS", "IA32_SYSENTER_EIP", "IA32_STAR", *WIDE):
        if name in WIDE and machine.arch() == "i386":
            continue
        value = kept(name)
        yield f"  {numbers[name]:#10x}  {name:17}  {value:#x}  {_words(name, value)}"
        if name == "IA32_SYSENTER_CS" and value:
            stack = machine.evaluate("cpu_stack")
            number = numbers["IA32_SYSENTER_ESP"]
            yield f"  {number:#10x}  {'IA32_SYSENTER_ESP':17}  {stack:#x}  cpu_stack"


WORDS = [Word(msrs)]
