"""The last exception that the processor took."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import gdb
from vocabulary import machine, paging
from vocabulary.machine import Word

NAMES = {
    0: "#DE, divide error",
    1: "#DB, debug exception",
    2: "NMI",
    3: "#BP, breakpoint",
    4: "#OF, overflow",
    5: "#BR, BOUND range exceeded",
    6: "#UD, invalid opcode",
    7: "#NM, device not available",
    8: "#DF, double fault",
    10: "#TS, invalid TSS",
    11: "#NP, segment not present",
    12: "#SS, stack-segment fault",
    13: "#GP, general protection",
    14: "#PF, page fault",
    16: "#MF, x87 floating-point error",
    17: "#AC, alignment check",
    18: "#MC, machine check",
    19: "#XM, SIMD floating-point exception",
}
INTERRUPTS = 32
TAIL = 1 << 20
"""Bytes of the emulator's log that are read."""
_TAKEN = re.compile(
    r"v=([0-9a-f]{2}) e=([0-9a-f]{4}) i=([01]) cpl=([0-3]) IP=([0-9a-f]+):([0-9a-f]+)"
    r"[^\n]*?(?:CR2=([0-9a-f]+))?\n"
)


@dataclass(frozen=True)
class Taken:
    """A vector that the processor took."""

    vector: int
    error: int
    software: bool
    cpl: int
    ip: int
    cr2: int

    @property
    def name(self) -> str:
        """The manual's."""
        return NAMES.get(self.vector, f"vector {self.vector:#x}")


def taken() -> list[Taken]:
    """The exceptions in the emulator's log, oldest first, without INT n and interrupts."""
    trace = gdb.convenience_variable("trace")
    if trace is None or not Path(trace.string()).is_file():
        raise gdb.GdbError(
            "The emulator keeps no log: start it with -d int -D FILE, and set $trace to that file."
        )
    with Path(trace.string()).open("rb") as file:
        file.seek(max(0, file.seek(0, 2) - TAIL))
        text = file.read().decode("ascii", "replace")
    found = []
    for vector, error, software, cpl, _, ip, cr2 in _TAKEN.findall(text):
        one = Taken(
            int(vector, 16),
            int(error, 16),
            software == "1",
            int(cpl),
            int(ip, 16),
            int(cr2 or "0", 16),
        )
        if one.vector < INTERRUPTS and (not one.software or one.vector in (3, 4)):
            found.append(one)
    return found


def page_fault_words(error: int) -> str:
    """The error code of #PF. SDM 3A, "Page-Fault Exceptions"."""
    words = [
        "the page forbids it" if error & 1 else "no page",
        "a write" if error & 2 else "a fetch" if error & 16 else "a read",
        "in ring 3" if error & 4 else "in ring 0",
    ]
    return ", ".join([*words, "a reserved bit is set"] if error & 8 else words)


def doubled() -> bool:
    """Whether an error code has twice the vector: true in long mode in QEMU 7.2, not in 8.2."""
    return machine.arch() == "amd64" and machine.qemu() < 8


def selector_words(error: int) -> str:
    """The error code of #TS, #NP, #SS and #GP. SDM 3A, "Error Code"."""
    if not error:
        return "no selector was at fault"
    if error & 2 and doubled():
        return f"the IDT, vector {error >> 4:#x} (QEMU writes twice that)"
    table = "the IDT, vector" if error & 2 else "the LDT, index" if error & 4 else "the GDT, index"
    return f"{table} {error >> 3:#x}{', an external event' if error & 1 else ''}"


def words_of(one: Taken) -> str:
    """The error code in words."""
    if one.vector == 14:
        return page_fault_words(one.error)
    return selector_words(one.error) if one.vector in (10, 11, 12, 13) else "no error code"


def why() -> Iterator[str]:
    """why: the last exception: vector, where, the error code in words, and for #PF CR2's page walk.

    It is read from the emulator's log (-d int), whatever the kernel has done with it since.
    """
    seen = taken()
    if not seen:
        yield "No exception has been taken yet."
        return
    last = seen[-1]
    yield f"{last.name} at {last.ip:#x} <{machine.symbol_at(last.ip)}>, CPL {last.cpl}"
    yield f"  error code {last.error:#x}: {words_of(last)}"
    if last.vector == 14:
        yield f"  CR2 {last.cr2:#x}; as it is mapped now:"
        yield from (f"  {line}" for line in paging.pages(hex(last.cr2)))


WORDS = [Word(why)]
