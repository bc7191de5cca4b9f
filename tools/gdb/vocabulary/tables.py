"""The tables that the processor reads for a gate: GDT, IDT, TSS."""

from __future__ import annotations

from collections.abc import Iterator

import gdb
from vocabulary import decode, machine
from vocabulary.machine import Word


def _lower_and_upper(base: int, index: int) -> tuple[int, int | None]:
    """A GDT entry and, on amd64, the next one, which is part of it if it is a system entry."""
    low = machine.read(base + 8 * index, 8)
    return low, machine.read(base + 8 * index + 8, 8) if machine.arch() == "amd64" else None


def idt_entry(vector: int) -> tuple[int, int | None]:
    """The gate of a vector, undecoded. gdb.GdbError past the table's limit, or without a table."""
    base, limit = _idt()
    size = 16 if machine.arch() == "amd64" else 8
    if (vector + 1) * size - 1 > limit:
        raise gdb.GdbError(f"The IDT ends before vector {vector:#x}.")
    low = machine.read(base + size * vector, 8)
    return low, machine.read(base + size * vector + 8, 8) if size == 16 else None


def idt_gate(vector: int) -> decode.Gate:
    """The gate of a vector. gdb.GdbError past the table's limit, or without a table."""
    return decode.gate(*idt_entry(vector))


def idt_gates(dpl: int) -> Iterator[tuple[int, decode.Gate]]:
    """The present gates with this DPL, by vector."""
    _, limit = _idt()
    for vector in range((limit + 1) // (2 * machine.word())):
        gate = idt_gate(vector)
        if gate.present and gate.dpl == dpl:
            yield vector, gate


def gdt_entry(selector: int) -> tuple[int, int | None]:
    """A GDT entry by its selector; on amd64 with the next entry, if that is part of it."""
    base, limit = machine.table_register("GDT")
    if selector | 7 > limit:
        raise gdb.GdbError(f"The GDT ends before selector {selector:#x}.")
    return _lower_and_upper(base, selector >> 3)


def gdt_entries() -> Iterator[tuple[int, int, int | None]]:
    """Selector and both halves of each non-empty GDT entry."""
    _, limit = machine.table_register("GDT")
    upper_half = False
    for selector in range(0, limit + 1, 8):
        low, high = gdt_entry(selector)
        if low and not upper_half:
            yield selector, low, high
        upper_half = high is not None and low != 0 and not upper_half and decode.is_system(low)


def call_gate() -> decode.Gate:
    """The call gate of the GDT, at GATE_SELECTOR. gdb.GdbError past the table's limit."""
    base, limit = machine.table_register("GDT")
    if machine.constants()["GATE_SELECTOR"] | 7 > limit:
        raise gdb.GdbError(f"The GDT ends at {limit:#x}, before the call gate: it is the boot's.")
    return decode.gate(*_lower_and_upper(base, machine.constants()["GATE_SELECTOR"] >> 3))


def _idt() -> tuple[int, int]:
    """Base and limit of the kernel's IDT. gdb.GdbError while IDTR points to no such table."""
    base, limit = machine.table_register("IDT")
    if base < machine.constants()["KERNEL_BASE"]:
        raise gdb.GdbError(f"The kernel has not loaded IDTR yet: it holds {base:#x}.")
    return base, limit


def task_state() -> gdb.Value:
    """TR's task-state segment, as `struct tss`. gdb.GdbError if there is none."""
    selector, base = machine.task_register()
    if not selector:
        raise gdb.GdbError("The kernel has not loaded TR yet: there is no task-state segment.")
    return gdb.Value(base).cast(gdb.lookup_type("struct tss").pointer()).dereference()


def gdt(selector: str = "") -> Iterator[str]:
    """gdt [SELECTOR]: the segments, gates and task states that a selector can name, or one.

    A selector is index * 8, plus 3 when a program uses it (RPL). SDM 3A, "Segment Descriptors".
    """
    if selector:
        number = machine.evaluate(selector)
        yield f"selector {number:#x}: {decode.descriptor(*gdt_entry(number))}"
        return
    base, limit = machine.table_register("GDT")
    yield f"GDT at {base:#x}, {(limit + 1) // 8} entries"
    for number, low, high in gdt_entries():
        yield f"  {number:#04x}  {decode.descriptor(low, high)}"


def idt(vector: str = "") -> Iterator[str]:
    """idt [VECTOR]: one gate of the interrupt descriptor table, or all that programs may use.

    INT n from ring 3 needs DPL 3 in gate n; without it the processor raises #GP.
    SDM 3A, "IDT Descriptors".
    """
    if vector:
        number = machine.evaluate(vector)
        yield f"vector {number:#x}: {gate_line(idt_gate(number))}"
        return
    base, limit = _idt()
    yield f"IDT at {base:#x}, limit {limit:#x}; gates with DPL 3:"
    for number, gate in idt_gates(3):
        yield f"  {number:#04x}  {gate_line(gate)}"


def gate_line(gate: decode.Gate) -> str:
    """A gate in words, with its target's symbol."""
    return f"{gate} <{machine.symbol_at(gate.offset)}>" if gate.present else str(gate)


def gate() -> Iterator[str]:
    """gate: the call gate in the GDT, decoded.

    A program goes through it by a far CALL to its selector. SDM 3A, "Call Gates".
    """
    yield f"{machine.constants()['GATE_SELECTOR']:#x}  {gate_line(call_gate())}"


def tss() -> Iterator[str]:
    """tss: the stacks that the processor loads when a gate leads to ring 0.

    sp0 is for gates; on amd64, ist1 to ist7 are for those that name one. SDM 3A, "Task-State
    Segment (TSS)", "Task Management in 64-bit Mode".
    """
    state = task_state()
    selector, base = machine.task_register()
    yield f"TR {selector:#x}, TSS at {base:#x}"
    yield f"  sp0   {int(state['sp0']):#x}"
    if machine.arch() == "i386":
        yield f"  ss0   {int(state['ss0']):#x}"
        return
    for number in range(1, 8):
        stack = int(state["ist"][number - 1])
        yield f"  ist{number}  {f'{stack:#x}' if stack else 'none'}"


WORDS = [Word(gdt), Word(idt), Word(tss), Word(gate)]
