; attempt.asm - runs code with every register chosen; a signal ends it (user/lib/attempt.h)
;
; void attempt_start(const void *code, const struct attempt *registers) attempt_end - the handler
; returns here, with xsp = attempt_sp

%include "native.inc"

section .bss align=16
global attempt_sp
attempt_sp:     resb    WORD
target:         resb    WORD

section .text
global attempt_start, attempt_end
attempt_start:
        SAVE_CALLERS
        mov     [attempt_sp], xsp
        mov     xax, SAVED_1
        mov     xsi, SAVED_2
        mov     [target], xax
        mov     xsp, [xsi + AT_SP]
        push    NATIVE [xsi + AT_FLAGS]
        LOAD_REGISTERS xsi
        popfx
        jmp     [target]

attempt_end:
        RESTORE_CALLERS
        ret
section .note.GNU-stack noalloc noexec nowrite progbits
