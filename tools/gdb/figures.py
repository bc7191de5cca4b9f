"""Drawings for the book after a vocabulary word: descriptors, tables, page walks, task states,
stacks and frames, read from the stopped machine.

A figure is a JSON object; `kind` chooses the drawing (tools/tollgate/teach/book/figures.py).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from vocabulary import decode, machine, paging, stacks, tables, where, why

import gdb

Figure = dict[str, Any]
POINTERS = ("cs", "ss", "ds", "es")
"""Registers that hold selectors, besides TR."""
PAGE_FAULT, WITH_SELECTOR = 14, (10, 11, 12, 13)
ERRORS = {
    PAGE_FAULT: (("I/D", 4, 4), ("RSVD", 3, 3), ("U/S", 2, 2), ("W/R", 1, 1), ("P", 0, 0)),
    **dict.fromkeys(WITH_SELECTOR, (("index", 15, 3), ("TI", 2, 2), ("IDT", 1, 1), ("EXT", 0, 0))),
}
"""The fields of an error code. SDM 3A, "Error Code", "Page-Fault Exceptions"."""


def of(word: str) -> list[Figure]:
    """The figures for a word and its argument; most words have none."""
    name, _, argument = word.partition(" ")
    try:
        return list(DRAWN[name](argument)) if name in DRAWN else []
    except (gdb.error, gdb.GdbError):
        return []


def _descriptor(name: str, low: int, high: int | None) -> Figure:
    fields = decode.fields(low, high)
    return {"kind": "bits", "name": name, "fields": fields, "words": decode.descriptor(low, high)}


def _gdt(argument: str) -> Iterator[Figure]:
    base, _ = machine.table_register("GDT")
    if argument:
        selector = machine.evaluate(argument)
        yield _descriptor(f"selector {selector:#x}", *tables.gdt_entry(selector))
        return
    held = {"TR": machine.task_register()[0]}
    held |= {name.upper(): machine.register(name) for name in POINTERS}
    slots = []
    for selector, low, high in tables.gdt_entries():
        names = [name for name, value in held.items() if value & ~7 == selector != 0]
        words = decode.descriptor(low, high)
        slots.append([f"{selector:#04x}", words, decode.bits(low, 46, 45), names])
    yield {"kind": "table", "name": f"GDT at {base:#x}", "slots": slots}


def _idt(argument: str) -> Iterator[Figure]:
    if argument:
        vector = machine.evaluate(argument)
        yield _descriptor(f"vector {vector:#x}", *tables.idt_entry(vector))
        return
    slots = []
    for vector, gate in tables.idt_gates(3):
        leads = machine.symbol_at(gate.offset)
        slots.append([f"{vector:#04x}", f"{gate.kind}, DPL {gate.dpl}, {leads}", gate.dpl, []])
    base, _ = machine.table_register("IDT")
    yield {"kind": "table", "name": f"IDT at {base:#x}, gates with DPL 3", "slots": slots}


def _gate(argument: str) -> Iterator[Figure]:
    selector = machine.constants()["GATE_SELECTOR"]
    yield _descriptor(f"selector {selector:#x}", *tables.gdt_entry(selector))


def _tss(argument: str) -> Iterator[Figure]:
    selector, base = machine.task_register()
    state = tables.task_state()
    to = {re.split("[:,]", name)[0]: name for name, _ in stacks.tops()}
    offsets = {f.name: f.bitpos // 8 for f in gdb.lookup_type("struct tss").fields()}
    slots = [[offsets["sp0"], "sp0", int(state["sp0"]), to["ring 0"]]]
    if machine.arch() == "i386":
        slots.append([offsets["ss0"], "ss0", int(state["ss0"]), ""])
    else:
        ist = [int(state["ist"][number]) for number in range(7)]
        for number, top in enumerate(ist):
            at, name = offsets["ist"] + 8 * number, f"ist{number + 1}"
            slots.append([at, name, top, to.get(f"IST {number + 1}", "")])
    yield {"kind": "task", "name": f"TR {selector:#x}: TSS at {base:#x}", "slots": slots}


def _stacks(argument: str) -> Iterator[Figure]:
    sp, size = machine.register("sp"), machine.constants()["STACK_SIZE"]
    found = [
        [name, top, stacks.guard(top), top - sp if top - size <= sp <= top else -1]
        for name, top in stacks.tops()
    ]
    yield {"kind": "stacks", "sp": sp, "size": size, "stacks": found}


def _pages(argument: str) -> Iterator[Figure]:
    address = machine.evaluate(argument)
    size = machine.word()
    width, levels = (9, 4) if size == 8 else (10, 2)
    table, entries = machine.register("cr3") & ~0xFFF, []
    for entry in paging.walk(address):
        index = decode.bits(address, 11 + entry.level * width, 12 + (entry.level - 1) * width)
        flags = [["P", entry.present], ["W", entry.writable], ["U", entry.user]]
        flags += [["NX", entry.no_execute]] if size == 8 else []
        entries.append([paging.NAMES[entry.level], index, table, entry.value, flags])
        table = entry.address
    yield {
        "kind": "walk",
        "address": address,
        "symbol": machine.symbol_at(address),
        "levels": levels,
        "width": width,
        "entries": entries,
        "said": list(paging.pages(argument))[-1].strip(),
    }


def _why(argument: str) -> Iterator[Figure]:
    last = why.taken()[-1:]
    for one in last:
        layout = ERRORS.get(one.vector, ())
        fields = [(name, a, b, decode.bits(one.error, a, b)) for name, a, b in layout]
        if fields and not (why.doubled() and one.error & 2 and one.vector != PAGE_FAULT):
            named = f"error code {one.error:#x}"
            yield {"kind": "bits", "name": named, "fields": fields, "words": why.words_of(one)}
        if one.vector == PAGE_FAULT:
            yield from _pages(hex(one.cr2))


def _frame(argument: str) -> Iterator[Figure]:
    at = machine.evaluate(argument) if argument else where.frame_address()
    sp = machine.register("sp")
    if not argument and not where.on_stack(sp, at + machine.constants()["FRAME_SIZE"]):
        return
    words = [[place, name, value] for place, name, value in where.frame_fields(at) if place >= sp]
    yield {"kind": "frame", "sp": sp, "word": machine.word(), "slots": words}


DRAWN: dict[str, Callable[[str], Iterator[Figure]]] = {
    "gdt": _gdt,
    "idt": _idt,
    "gate": _gate,
    "tss": _tss,
    "stacks": _stacks,
    "pages": _pages,
    "why": _why,
    "entry-frame": _frame,
}
