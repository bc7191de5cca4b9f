"""A colleague's service half, correct but long; the seed chooses the service routine's argument."""

from tollgate.teach.edits import Edits
from tollgate.teach.exercises import Dice, Own

FILE = "kernel/core/entry/callgate.asm"
HALF = "callgate_service_entry"
REGISTERS = "rbx rcx rdx rsi rdi rbp r8 r9 r10 r11 r12 r13 r14 r15".split()


def own(dice: Dice) -> Own:
    return {"register": dice.one_of(REGISTERS), "mark": dice.mark()}


def start(edits: Edits, own: Own) -> None:
    saved = ", ".join(REGISTERS)
    into = (
        f"%if KERNEL_BITS == 64\n        PUSHES  {saved}\n        pushfx\n%endif\n"
        "        push    RFLAGS_FIXED\n        popfx\n"
        "%if KERNEL_BITS == 64\n        xor     ebx, ebx\n        xor     ebp, ebp\n        cld\n"
        f"        mov     {own['register']}, {own['mark']:#x}\n%endif\n"
    )
    out = (
        "%if KERNEL_BITS == 64\n        mov     rbx, rax\n        popfx\n        mov     rax, rbx\n"
        f"        POPS    {', '.join(reversed(REGISTERS))}\n%endif\n"
    )
    edits.within(FILE, HALF, "        push    RFLAGS_FIXED\n        popfx\n", into)
    edits.within(FILE, HALF, "        PROBE   MP6\n", "        PROBE   MP6\n" + out)
