"""The model solution: the file's halves, its row, its line."""

from tollgate.teach.edits import Edits
from tollgate.teach.exercises import Own

SAVED = "rbx rcx rdx rsi rdi rbp r8 r9 r10 r11 r12 r13 r14 r15".split()
LOW = {"rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp"}


def low(name: str) -> str:
    """The lower half of a register."""
    return f"e{name[1:]}" if name in LOW else f"{name}d"


def solve(edits: Edits, own: Own) -> None:
    clear = "".join(
        f"        mov     {low(name)}, {own['mark']:#x}\n"
        if name == own["register"]
        else f"        xor     {low(name)}, {low(name)}\n"
        for name in ["rax", *SAVED]
    )
    edits.put(
        "kernel/core/entry/int_cleared.asm",
        f"""\
; int_cleared.asm - INT as a kernel pays for it that lets no register of the program's through
;
;       as int/service; at the service routine all registers but rsp are 0, and one has a mark

%include "asm.inc"

KERNEL int_cleared_entry, INT_GATE
        INT_STACK
        PROBE   MP2
        PUSHES  {", ".join(SAVED)}
{clear}        PROBE   MP3
        CALL_SERVICE INT_SERVICE
        PROBE   MP6
        POPS    {", ".join(reversed(SAVED))}
        PROBE   MP7
        iretx

USER int_cleared_call
        PROBE   MP1
        int     VECTOR_int_cleared
        PROBE   MP8
        ret
""",
    )
    edits.after(
        "kernel/core/entry/entry.def",
        'ROW(int, bare, "int83", VECTOR(0x83))',
        'ROW(int, cleared, "int86", VECTOR(0x86) ONLY(amd64/user))\n',
    )
    table = "kernel/core/entry/mechanism.def"
    line = next(li for li in edits.text(table).splitlines() if li.startswith("VARIANT(service,"))
    edits.after(table, line, "VARIANT(cleared, service)       /* service, without registers */\n")
