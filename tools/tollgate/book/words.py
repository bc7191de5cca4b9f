"""A name for every word of a stack.

What a gate or an instruction has pushed before our eyes is named by that; what was there already,
by gdb's unwinder, which knows where registers are saved and where each function's part ends. Where
nobody knows more, the words end.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tollgate.book.walk import Instruction, State, Walk

INT_FRAME = ("ip", "cs", "flags", "sp", "ss")
"""What an interrupt or trap gate pushes, from the stack pointer up; without a change of privilege
in a 32-bit kernel only the first three."""
CALL_FRAME = ("ip", "cs", "sp", "ss")
"""What a call gate pushes that raises privilege."""
PUSHA = ("di", "si", "bp", "sp", "bx", "dx", "cx", "ax")
GATES = ("int", "int3", "int1", "icebp", "into", "ud2", "call", "lcall")
"""Instructions that lead through one; a fault does, too."""
WIDE = ("ax", "bx", "cx", "dx", "si", "di", "bp", "sp", "ip", "flags")
"""Registers whose name says how wide they are."""
_NARROW = re.compile(r"[c-gs]s|cr\d|r\d+")
RESUME = 1 << 16
"""RF: the processor sets it in the flags that a fault saves."""
RETURN = "return address"
FAR = 4096
"""Bytes that no instruction moves a stack pointer by, unless it changes the stack."""
BELOW = 1 << 16
"""Bytes below a stack pointer in which what was pushed is gone."""
ENOUGH = 3
"""Saved registers at their places in struct frame that show that there is one."""
GATE, CODE, SAVED, LOCAL = "gate", "code", "saved", "local"
"""Who put a word there: the processor, an instruction that we saw, an earlier one; a function."""


@dataclass(frozen=True)
class Word:
    """A word of a stack."""

    address: int
    value: int
    name: str
    kind: str
    note: str = ""
    """The symbol that the value leads to, or whose register it was."""


def register_name(name: str, size: int) -> str:
    """`ip` is RIP where a word has 8 bytes, EIP where it has 4; what is no register stays."""
    wide = "R" if size == 8 else "E"
    if name in WIDE:
        return f"{wide}{name}".upper()
    return name.upper() if _NARROW.fullmatch(name) else name


class Namer:
    """Follows a walk, state by state."""

    def __init__(self, walk: Walk, frame_made: bool) -> None:
        self._fields = walk.fields
        self._frame_made = frame_made
        self._known: dict[int, Word] = {}

    def step(self, one: Instruction) -> None:
        """An instruction has been executed: what it pushed, and what is gone."""
        after = one.after
        sp, size = after.registers["sp"], after.stack.word
        for address in [a for a in self._known if sp - BELOW <= a < sp]:
            del self._known[address]
        for address, value in _window(after):
            if address in self._known:  # written before our eyes: the name stays
                old = self._known[address]
                self._known[address] = Word(address, value, old.name, old.kind)
        names, kind = pushed(one)
        values = dict(_window(after))
        for place, name in enumerate(names):
            address = sp + place * size
            if address in values:
                shown = register_name(name, size)
                field = self._field(after, address) if kind == CODE else ""
                self._known[address] = Word(address, values[address], field or shown, kind)

    def _field(self, state: State, address: int) -> str:
        """The field of the struct frame that is being made here."""
        if not self._frame_made or not state.stack.frame:
            return ""
        name = self._fields.get(address - state.stack.frame, "")
        return register_name(name, state.stack.word) if name else ""

    def words(self, state: State) -> list[Word]:
        """The words of the stack in use, from the stack pointer up, as far as they have names."""
        stack = state.stack
        whole = self._whole_frame(state)
        found = []
        for address, value in _window(state):
            word = self._known.get(address)
            if word is None or word.value != value:
                word = self._from_unwinder(state, address, value, whole)
            if word is None:
                break
            note = word.note or stack.names.get(value, "")
            found.append(Word(address, value, word.name, word.kind, note))
        return found

    def _whole_frame(self, state: State) -> bool:
        """Whether the unwinder finds registers where struct frame has them."""
        places = {
            f"{prefix}{name}": state.stack.frame + offset
            for offset, name in self._fields.items()
            for prefix in ("", "r", "e")
        }
        matches = [a for a, (register, _) in state.stack.saved.items() if places.get(register) == a]
        return bool(state.stack.frame) and len(matches) >= ENOUGH

    def _from_unwinder(self, state: State, address: int, value: int, whole: bool) -> Word | None:
        stack = state.stack
        if whole and address - stack.frame in self._fields:
            name = register_name(self._fields[address - stack.frame], stack.word)
            kind = GATE if address >= stack.top - len(INT_FRAME) * stack.word else SAVED
            return Word(address, value, name, kind)
        if address in stack.saved:
            register, of = stack.saved[address]
            if register in ("rip", "eip"):
                return Word(address, value, RETURN, SAVED)
            return Word(address, value, register.upper(), SAVED, f"of {of}")
        for end, function in stack.frames:
            if address < end:
                return Word(address, value, f"in {function}", LOCAL)
        return None


def _window(state: State) -> list[tuple[int, int]]:
    """Address and value of each word that was written down."""
    sp, size = state.registers["sp"], state.stack.word
    return [(sp + place * size, value) for place, value in enumerate(state.stack.words)]


def pushed(one: Instruction) -> tuple[Sequence[str], str]:
    """The names of the words that an instruction left on the stack, from sp up, and who did."""
    before, after = one.before, one.after
    word, _, operand = before.next.partition(" ")
    if one.pushed:
        return one.pushed, CODE if word == "call" and len(one.pushed) == 1 else GATE
    down = before.registers["sp"] - after.registers["sp"]
    if word == "push" and down == after.stack.word:
        return (_operand(operand),), CODE
    if word in ("pushf", "pushfq", "pushfd"):
        return ("flags",), CODE
    if word in ("pusha", "pushad", "pushal"):
        return PUSHA, CODE
    if word not in GATES and not one.after.symbol.startswith("vector_"):
        return (), CODE
    frame = gate_frame(before.registers, after)
    if frame and (word != "call" or frame == CALL_FRAME or abs(down) > FAR):
        return frame, GATE
    if word == "call" and down == after.stack.word:
        return (RETURN,), CODE
    return (), CODE


def gate_frame(before: Mapping[str, int], after: State) -> Sequence[str]:
    """The words that a gate has pushed, by what they hold; () if they are no such frame."""
    words, size = after.stack.words, after.stack.word
    raised = before["cs"] & 3 != after.cpl
    for first in (0, 1):  # an error code lies below the rest
        own = words[first : first + 5]
        if len(own) < 3 or own[1] & 0xFFFF != before["cs"]:
            continue
        code = ("error code",) * first
        if (own[2] ^ before["flags"]) & ~RESUME == 0:
            return (*code, *INT_FRAME) if size == 8 or raised else (*code, *INT_FRAME[:3])
        if not first and own[2] == before["sp"]:
            return CALL_FRAME
    return ()


def _operand(text: str) -> str:
    """What was pushed, in a word: a register, a number, a place in memory."""
    operand = text.removeprefix("QWORD PTR ").removeprefix("DWORD PTR ").strip()
    return operand.upper() if operand.isalnum() and not operand.startswith("0x") else operand
