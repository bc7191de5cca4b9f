"""The seed chooses the registers that are left out, and the values in their places."""

from tollgate.teach.edits import Edits
from tollgate.teach.exercises import Dice, Own

FILE = "kernel/core/entry/int.asm"
HALF = "int_nowork_entry"
SAVED = "rdi rsi rdx rcx rax r8 r9 r10 r11 rbx rbp r12 r13 r14 r15".split()
FIRST = SAVED.index("rbx")
"""C preserves this one and the following."""


def own(dice: Dice) -> Own:
    count = 2 + dice.below(3)
    at = FIRST + dice.below(len(SAVED) - FIRST - count + 1)
    left = SAVED[at : at + count]
    return {
        "left": f"{', '.join(left[:-1])} and {left[-1]}",
        "count": count,
        "most": 45 - count,
        "mark": dice.mark(),
    }


def names(own: Own) -> list[str]:
    """The left-out registers."""
    return str(own["left"]).replace(" and ", ", ").split(", ")


def start(edits: Edits, own: Own) -> None:
    pushes = "".join(f"        push    {name}\n" for name in SAVED)
    pops = "".join(f"        pop     {name}\n" for name in reversed(SAVED))
    macros = (
        "\n; What nowork saves and restores: struct frame, for a start.\n"
        "%macro SAVE_FEWER 0\n%if KERNEL_BITS == 64\n"
        "        push    rax                     ; number\n"
        f"{pushes}%else\n        SAVE_FRAME\n%endif\n%endmacro\n"
        "%macro RESTORE_FEWER 0\n%if KERNEL_BITS == 64\n"
        f"{pops}        DROP    WORD                    ; number\n"
        "%else\n        FRAME_TO_IRET\n%endif\n%endmacro\n"
    )
    edits.after(FILE, '%include "asm.inc"', macros)
    edits.within(FILE, HALF, "SAVE_FRAME", "SAVE_FEWER")
    edits.within(FILE, HALF, "FRAME_TO_IRET", "RESTORE_FEWER")
    edits.put(
        "exercises/register/answer.txt",
        "What `promises` says is wrong, the words in front of the colon:\nbreaks:\n",
    )
