"""The model solution: saves one register and the flags, nothing else."""

from tollgate.teach.edits import Edits
from tollgate.teach.exercises import Own

FILE = "kernel/core/entry/callgate.asm"
HALF = "callgate_service_entry"


def solve(edits: Edits, own: Own) -> None:
    edits.replace(
        FILE,
        edits.half(FILE, HALF),
        f"""KERNEL {HALF}, FAR_CALL
        PROGRAM_STACK
        PROBE   MP2
        pushfx
%if KERNEL_BITS == 64
        push    {own["register"]}
%endif
        push    RFLAGS_FIXED
        popfx
%if KERNEL_BITS == 64
        mov     {own["register"]}, {own["mark"]:#x}
%endif
        PROBE   MP3
        CALL_SERVICE_HERE
        PROBE   MP6
%if KERNEL_BITS == 64
        pop     {own["register"]}
%endif
        popfx
        PROBE   MP7
        retfx
""",
    )
