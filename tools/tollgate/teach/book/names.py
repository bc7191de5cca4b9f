"""The names of the words that an instruction or a gate pushes."""

import re
from collections.abc import Mapping, Sequence

from tollgate.teach.book.walk import Instruction, State

INT_FRAME = ("ip", "cs", "flags", "sp", "ss")
"""The words pushed by an interrupt or trap gate, from the stack pointer up; without a change of
privilege, in a 32-bit kernel, only the first three."""
CALL_FRAME = ("ip", "cs", "sp", "ss")
"""The words pushed by a call gate that raises privilege."""
PUSHA = ("di", "si", "bp", "sp", "bx", "dx", "cx", "ax")
GATES = ("int", "int3", "int1", "icebp", "into", "ud2", "call", "lcall")
"""Instructions through a gate; a fault uses one, too."""
HANDLER = re.compile(r"vector_(ist_)?\d+(, MP2)?$|\w+_entry(, MP2)?$")
"""Symbols of the first instruction after a gate."""
RESUME = 1 << 16
"""RF: set by the processor in the flags that a fault saves."""
RETURN = "return address"
ERROR = "error code"
FAR = 4096
"""No instruction moves a stack pointer this far without switching stacks."""
GATE, CODE = "gate", "code"
"""The origin of a push: the processor, or an instruction."""
WIDE = ("ax", "bx", "cx", "dx", "si", "di", "bp", "sp", "ip", "flags")
"""Registers whose name tells their width."""
_NARROW = re.compile(r"[c-gs]s|cr\d|r\d+")


def register_name(name: str, size: int) -> str:
    """`ip` is RIP if a word has 8 bytes, EIP if it has 4; other names are unchanged."""
    name = "sp" if name == "pushad_sp" else name
    if name in WIDE:
        return f"{'R' if size == 8 else 'E'}{name}".upper()
    return name.upper() if _NARROW.fullmatch(name) else name


def pushed(one: Instruction) -> tuple[Sequence[str], str]:
    """The names of the words that an instruction left on the stack, from sp up; their origin."""
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
    if word not in GATES and not after.symbol.startswith("vector_"):
        return (), CODE
    frame = gate_frame(before.registers, after)
    if frame and (word != "call" or frame == CALL_FRAME or abs(down) > FAR):
        return frame, GATE
    if word == "call" and down == after.stack.word:
        return (RETURN,), CODE
    return (), CODE


def gate_frame(before: Mapping[str, int], after: State) -> Sequence[str]:
    """The words pushed by a gate, by their contents; () if they are no such frame."""
    words, size = after.stack.words, after.stack.word
    raised = before["cs"] & 3 != after.cpl
    for first in (0, 1):  # an error code is below the rest
        own = words[first : first + 5]
        if len(own) < 3 or own[1] & 0xFFFF != before["cs"]:
            continue
        code = (ERROR,) * first
        if (own[2] ^ before["flags"]) & ~RESUME == 0:
            return (*code, *INT_FRAME) if size == 8 or raised else (*code, *INT_FRAME[:3])
        if not first and own[2] == before["sp"]:
            return CALL_FRAME
    return ()


def arrived(state: State) -> dict[int, str]:
    """The words of a gate's frame whose push was not seen, by their address.

    At a handler's first instruction their number identifies them. An IST stack is reached only
    through a gate, whose frame is at its end.
    """
    stack, sp = state.stack, state.registers["sp"]
    count = (stack.top - sp) // stack.word
    frames = {len(INT_FRAME): INT_FRAME, len(INT_FRAME) + 1: (ERROR, *INT_FRAME)}
    names: Sequence[str] = ()
    if stack.top and HANDLER.match(state.symbol):
        names = frames.get(count, CALL_FRAME if count == len(CALL_FRAME) else ())
    elif stack.name.startswith("IST") and count >= len(INT_FRAME):
        names = INT_FRAME
    first = stack.top - len(names) * stack.word
    return {first + place * stack.word: name for place, name in enumerate(names)}


def _operand(text: str) -> str:
    """The operand of a push in a word: a register, or the text itself."""
    operand = re.sub(r"^[QD]?WORD PTR ", "", text.strip())
    return operand.upper() if re.fullmatch(r"[re]?[a-ds][xipl]|[c-gs]s|r\d+", operand) else operand
