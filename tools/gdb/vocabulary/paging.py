"""Page walks, as the processor does them."""

from __future__ import annotations

from collections.abc import Iterator

import gdb
from vocabulary import decode, machine
from vocabulary.machine import Word

CR0_PG = 1 << 31
NAMES = {4: "PML4E", 3: "PDPTE", 2: "PDE", 1: "PTE"}


def walk(address: int) -> list[decode.Entry]:
    """The entries that translate `address`, from CR3 down to the page or the first absent one."""
    size = machine.word()
    index_bits, levels = (9, 4) if size == 8 else (10, 2)
    table, entries = machine.register("cr3") & ~0xFFF, []
    for level in range(levels, 0, -1):
        index = address >> 12 + (level - 1) * index_bits & (1 << index_bits) - 1
        entry = decode.Entry(machine.read_physical(table + index * size, size), level)
        entries.append(entry)
        if not entry.present or entry.large:
            break
        table = entry.address
    return entries


def pages(address: str) -> Iterator[str]:
    """pages ADDRESS: the page walk of an address, and what the page allows.

    A right must be granted at every level: user and writable are ANDed, NX is ORed.
    SDM 3A, "Determination of Access Rights".
    """
    if not machine.register("cr0") & CR0_PG:
        raise gdb.GdbError("Paging is off (CR0.PG = 0): linear addresses are physical ones.")
    linear = machine.evaluate(address)
    entries = walk(linear)
    yield f"{linear:#x} <{machine.symbol_at(linear)}>"
    for entry in entries:
        yield f"  {NAMES[entry.level]:5}  {entry.value:#018x}  {entry}"
    if not entries[-1].present:
        yield "  not mapped: #PF"
        return
    allowed = decode.rights(
        all(entry.user for entry in entries),
        all(entry.writable for entry in entries),
        any(entry.no_execute for entry in entries),
    )
    yield f"  page   {allowed}"


WORDS = [Word(pages)]
