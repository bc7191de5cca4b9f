"""Decodes descriptors, gates and page-table entries, from plain integers and without gdb.

Sources: SDM 3A, "Segment Descriptors", "System Descriptor Types", "IDT Descriptors", "64-Bit Mode
IDT", "Paging".
"""

from __future__ import annotations

from dataclasses import dataclass

GATE_TYPES = {5: "task gate", 12: "call gate", 14: "interrupt gate", 15: "trap gate"}
TSS_TYPES = {9: "TSS, available", 11: "TSS, busy"}
LDT_TYPE = 2


def bits(value: int, high: int, low: int) -> int:
    """The field `value[high:low]`, in the manuals' notation."""
    return value >> low & (1 << high - low + 1) - 1


@dataclass(frozen=True)
class Gate:
    """A gate of the GDT or IDT. `ist` is 0 if the gate names no stack."""

    type: int
    selector: int
    offset: int
    dpl: int
    present: bool
    ist: int = 0

    @property
    def kind(self) -> str:
        """The manual's name for the type."""
        return GATE_TYPES.get(self.type, f"type {self.type}")

    def __str__(self) -> str:
        if not self.present:
            return "not present"
        if self.kind == "task gate":
            return f"task gate, DPL {self.dpl}, to TSS {self.selector:#x}"
        stack = f", IST {self.ist}" if self.ist else ""
        return f"{self.kind}, DPL {self.dpl}{stack}, to {self.selector:#x}:{self.offset:#x}"


def gate(low: int, high: int | None = None) -> Gate:
    """Decode a gate: 8 bytes, or 16 with the second half in `high` (long mode)."""
    offset = bits(low, 63, 48) << 16 | bits(low, 15, 0)
    return Gate(
        type=bits(low, 43, 40),
        selector=bits(low, 31, 16),
        offset=offset | (high or 0) << 32,
        dpl=bits(low, 46, 45),
        present=bool(bits(low, 47, 47)),
        ist=0 if high is None else bits(low, 34, 32),
    )


def is_system(low: int) -> bool:
    """Whether a GDT entry is a gate, a TSS or an LDT: S = 0; in long mode it has 16 bytes."""
    return not bits(low, 44, 44)


def base(low: int, high: int = 0) -> int:
    """The linear address in a segment, TSS or LDT descriptor."""
    return bits(low, 63, 56) << 24 | bits(low, 39, 16) | high << 32


def _limit(low: int) -> str:
    limit = bits(low, 51, 48) << 16 | bits(low, 15, 0)
    if bits(low, 55, 55):
        limit = limit << 12 | 0xFFF
    return "4 GiB" if limit == 0xFFFFFFFF else f"limit {limit:#x}"


def _segment(low: int, long_mode: bool) -> str:
    kind = bits(low, 43, 40)
    code, wide = kind & 8, bits(low, 54, 54)
    size = "64-bit" if code and bits(low, 53, 53) else "32-bit" if wide else "16-bit"
    words = ["code" if code else "data", f"DPL {bits(low, 46, 45)}"]
    if code:
        words += [size, "execute/read" if kind & 2 else "execute-only"]
        words += ["conforming"] if kind & 4 else []
    else:
        words += ["read/write" if kind & 2 else "read-only"]
    if long_mode:
        return ", ".join(words)
    return ", ".join([*words, f"base {base(low):#x}", _limit(low)])


def descriptor(low: int, high: int | None = None) -> str:
    """A GDT entry in words; in long mode `high` is a system descriptor's second half.

    In long mode base and limit of code and data segments are ignored, so they are left out.
    """
    long_mode = high is not None
    if not bits(low, 47, 47):
        return "not present" if low else "empty"
    if not is_system(low):
        return _segment(low, long_mode)
    kind = bits(low, 43, 40)
    if kind in GATE_TYPES:
        return str(gate(low, high))
    name = TSS_TYPES.get(kind, "LDT" if kind == LDT_TYPE else f"system type {kind}")
    return f"{name}, DPL {bits(low, 46, 45)}, base {base(low, high or 0):#x}, {_limit(low)}"


_ACCESS = (("P", 47, 47), ("DPL", 46, 45), ("S", 44, 44), ("type", 43, 40))
_SEGMENT = (
    *(("base 31:24", 63, 56), ("G", 55, 55), ("D", 54, 54), ("L", 53, 53), ("A", 52, 52)),
    *(("limit", 51, 48), *_ACCESS, ("base 23:16", 39, 32)),
    *(("base 15:0", 31, 16), ("limit 15:0", 15, 0)),
)
_GATE = (("offset 31:16", 63, 48), *_ACCESS)
_TARGET = (("selector", 31, 16), ("offset 15:0", 15, 0))
_TASK = (("", 63, 48), *_ACCESS, ("", 39, 32), ("TSS selector", 31, 16), ("", 15, 0))
Field = tuple[str, int, int, int]
"""A field of a descriptor: name (empty: reserved), highest and lowest bit, value."""


def fields(low: int, high: int | None = None) -> list[Field]:
    """A descriptor's or gate's fields from the highest bit down. `A` is AVL, `D` is D/B."""
    kind = GATE_TYPES.get(bits(low, 43, 40)) if is_system(low) else None
    layout = _SEGMENT
    if kind == "task gate":
        layout = _TASK
    elif kind:
        layout = (*_GATE, *((("", 39, 32),) if high is None else (("", 39, 35), ("IST", 34, 32))))
        layout += _TARGET
    if high is not None and is_system(low):
        name = "offset 63:32" if kind else "base 63:32"
        layout = (("", 127, 96), (name, 95, 64), *layout)
    whole = low | (high or 0) << 64
    return [(name, last, first, bits(whole, last, first)) for name, last, first in layout]


@dataclass(frozen=True)
class Entry:
    """A page-table entry, at any level."""

    value: int
    level: int

    @property
    def present(self) -> bool:
        """P: without it no other bit counts."""
        return bool(self.value & 1)

    @property
    def writable(self) -> bool:
        """R/W."""
        return bool(self.value & 2)

    @property
    def user(self) -> bool:
        """U/S: ring 3 may use it."""
        return bool(self.value & 4)

    @property
    def no_execute(self) -> bool:
        """XD, in 64-bit entries."""
        return bool(self.value >> 63)

    @property
    def large(self) -> bool:
        """PS: the entry maps a large page at a higher level."""
        return self.level > 1 and bool(self.value & 0x80)

    @property
    def address(self) -> int:
        """The frame or table that it points to."""
        return self.value & 0x000FFFFFFFFFF000

    def __str__(self) -> str:
        if not self.present:
            return "not present"
        return rights(self.user, self.writable, self.no_execute)


def rights(user: bool, writable: bool, no_execute: bool) -> str:
    """The rights of a page: U/S, W and NX, in the manuals' words."""
    return ", ".join(
        (
            "user" if user else "supervisor",
            "writable" if writable else "read-only",
            "NX" if no_execute else "executable",
        )
    )
