"""A name for every word of a stack.

Words pushed during the walk by a gate or an instruction are named after it, and keep their name
when code moves them. Older words are named by gdb's unwinder, which knows saved registers and the
end of each function's part. The words end at the first unknown one.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from tollgate.machines.row_path import REGISTERS, operand_address
from tollgate.teach.book.names import CODE, GATE, RETURN, arrived, pushed, register_name
from tollgate.teach.book.walk import Instruction, State, Walk

BELOW = 1 << 16
"""Bytes below a stack pointer in which pushed words are forgotten."""
ENOUGH = 3
"""A struct frame is recognised by so many saved registers at their places. In C code, which always
has a frame, the instruction pointer alone is enough."""
SAVED, LOCAL = "saved", "local"
"""The kind of a word pushed before the walk: a function's saved register, or another value."""
IN_PLACE = re.compile(r"SAVE_FRAME|FRAME_FROM_(?!FAR)\w+")
"""Macros that push the fields of a struct frame one by one. (Macros that turn a far call's words
into a frame move the words instead.)"""
LATER = "a constant"
"""A constant that is pushed only to be popped into a register."""


@dataclass(frozen=True)
class Word:
    """A word of a stack."""

    address: int
    value: int
    name: str
    kind: str
    note: str = ""
    """The symbol at the value, or the owner of the register."""


class Namer:
    """Follows a walk, state by state; `macros` maps source lines to the macros around them."""

    def __init__(self, walk: Walk, macros: Mapping[tuple[str, int], str]) -> None:
        self._fields = walk.fields
        self._macros = macros
        self._known: dict[int, Word] = {}
        self._held: dict[str, str] = {}
        """Registers that hold a word of the stack, with its name."""

    def step(self, one: Instruction) -> None:
        """Account for an executed instruction: words that were pushed, moved, or popped."""
        after = one.after
        sp, size = after.registers["sp"], after.stack.word
        values = dict(_window(after))
        names, kind = pushed(one)
        if kind == CODE and len(names) == 1:
            names = (self._better(one, names[0]),)
        moved = self._moved(one)
        for address in [a for a in self._known if sp - BELOW <= a < sp]:
            del self._known[address]
        for address, value in values.items():
            if address in self._known:  # its write was seen: the name stays
                self._known[address] = replace(self._known[address], value=value)
        for address, name in moved.items():
            if address in values:
                self._known[address] = Word(address, values[address], name, CODE)
        for place, name in enumerate(names):
            address = sp + place * size
            if address in values:
                field = self._field(one, address) if kind == CODE else ""
                shown = register_name(field or name, size)
                self._known[address] = Word(address, values[address], shown, kind)

    def _macro(self, one: Instruction) -> str:
        source = one.before.source
        return self._macros.get((source.file, source.line), "") if source else ""

    def _field(self, one: Instruction, address: int) -> str:
        """The field of the struct frame that is being built here."""
        frame = one.after.stack.frame
        if not frame or not IN_PLACE.fullmatch(self._macro(one)):
            return ""
        return self._fields.get(address - frame, "")

    def _better(self, one: Instruction, name: str) -> str:
        """A pushed operand's name: that of the word it was, or its purpose."""
        text = one.before.next
        if "[" in text:
            at = operand_address(text, one.before.registers)
            return self._known[at].name if at in self._known else name
        register = REGISTERS.get(name.lower(), "")
        if register in self._held:
            return self._held[register]
        return LATER if name.startswith("0x") and one.after.next.startswith("pop") else name

    def _moved(self, one: Instruction) -> dict[int, str]:
        """Words that code moved, by their new address."""
        text, before, after = one.before.next, one.before.registers, one.after.registers
        word, _, operands = text.partition(" ")
        first, _, second = operands.partition(",")
        moved: dict[int, str] = {}
        loaded = ""
        if word == "pop" and "[" in first:
            at, known = operand_address(text, after), self._known.get(before["sp"])
            if at is not None and known:
                moved[at] = known.name
        elif word == "pop" and first in REGISTERS and before["sp"] in self._known:
            loaded = REGISTERS[first]
            self._held[loaded] = self._known[before["sp"]].name
        elif word == "mov" and "[" in second and first in REGISTERS:
            at = operand_address(text, before)
            if at in self._known:
                loaded = REGISTERS[first]
                self._held[loaded] = self._known[at].name
        elif word == "mov" and "[" in first and REGISTERS.get(second, "") in self._held:
            at = operand_address(text, before)
            if at in self._known:
                moved[at] = self._held[REGISTERS[second]]
        for name in [n for n in self._held if n != loaded and before[n] != after[n]]:
            del self._held[name]
        return moved

    def words(self, state: State) -> list[Word]:
        """The words of the current stack, from the stack pointer up, as far as they have names."""
        whole = self._whole_frame(state)
        size, gate = state.stack.word, arrived(state)
        found = []
        for address, value in _window(state):
            word = self._known.get(address)
            if word is None or word.value != value:
                word = self._from_unwinder(state, address, value, whole)
            if address in gate:
                word = Word(address, value, register_name(gate[address], size), GATE)
            if word is None:
                break
            found.append(replace(word, note=word.note or state.stack.names.get(value, "")))
        return found

    def _whole_frame(self, state: State) -> bool:
        """Whether the unwinder finds registers at their places in struct frame."""
        places = {
            f"{prefix}{name}": state.stack.frame + offset
            for offset, name in self._fields.items()
            for prefix in ("", "r", "e")
        }
        matches = [r for a, (r, _) in state.stack.saved.items() if places.get(r) == a]
        in_c = state.place == "kernel" and not {"rip", "eip"}.isdisjoint(matches)
        return bool(state.stack.frame) and (in_c or len(matches) >= ENOUGH)

    def _from_unwinder(self, state: State, address: int, value: int, whole: bool) -> Word | None:
        stack = state.stack
        if address in stack.signal:
            name = register_name(stack.signal[address], stack.word)
            several = list(stack.signal.values()).count(stack.signal[address]) > 1
            return Word(address, value, name, LOCAL if several else SAVED)
        if whole and address - stack.frame in self._fields:
            name = register_name(self._fields[address - stack.frame], stack.word)
            return Word(address, value, name, SAVED)
        if address in stack.saved:
            register, of = stack.saved[address]
            if register not in ("rip", "eip"):
                return Word(address, value, register.upper(), SAVED, f"of {of}")
            return Word(address, value, RETURN, SAVED) if value in stack.names else None
        for end, function in stack.frames:
            if address < end:
                return Word(address, value, f"in {function}", LOCAL)
        return None


def _window(state: State) -> list[tuple[int, int]]:
    """Address and value of each recorded word."""
    sp, size = state.registers["sp"], state.stack.word
    return [(sp + place * size, value) for place, value in enumerate(state.stack.words)]
