"""The seed chooses the row and the register that leak."""

from tollgate.teach.edits import Edits
from tollgate.teach.exercises import Dice, Own

FILE = "kernel/core/entry/callgate.asm"
OF = {"stack": ("cpu_stack", -1), "thread": ("cpu_current", 1)}


def own(dice: Dice) -> Own:
    return {
        "row": dice.one_of(("standard", "nowork", "service")),
        "register": dice.one_of(("rcx", "r11")),
        "holds": dice.one_of(tuple(OF)),
        "distance": 8 + 8 * dice.below(60000),
    }


def leak(own: Own) -> str:
    """The lines of code that leak."""
    variable, sign = OF[str(own["holds"])]
    distance = sign * int(own["distance"])
    register = own["register"]
    return (
        "%if KERNEL_BITS == 64 && PROGRAM_CS != KERNEL_CS\n"
        f"        mov     {register:8}, [{variable}]     ; for a tracer, one day\n"
        f"        lea     {register:8}, [{register} {'+' if sign > 0 else '-'} {abs(distance):#x}]\n"
        "%endif\n"
    )


def start(edits: Edits, own: Own) -> None:
    half = f"callgate_{own['row']}_entry"
    last = "        PROBE   MP7\n"
    edits.within(FILE, half, last, leak(own) + last)
    edits.put(
        "exercises/leak/answer.txt",
        "Which row it is, `standard`, `nowork` or `service`:\nrow:\n"
        "Which register it is, such as rdx:\nregister:\n"
        "Near whose address its value lies, `stack` (cpu_stack) or `thread` (cpu_current):\nholds:\n"
        "How many bytes from there, such as 0x48:\ndistance:\n",
    )
