; run_code.asm - void run_code(uintptr_t code): calls it, and preserves C's callee-saved registers

%include "native.inc"
section .bss align=16
saved:  resb    WORD

section .text
global run_code
run_code:
        SAVE_CALLERS
        mov     [saved], xsp
        call    SAVED_1
        mov     xsp, [saved]
        cld
        RESTORE_CALLERS
        ret
section .note.GNU-stack noalloc noexec nowrite progbits
