; timed.asm - one call between two stamps, as short as it can be (user/lib/timed.h)
;
; uint32_t timed_half(const void *half, long number, long a, long b, long c, long *result)
;       loads the registers in between, and calls a user half
; uint32_t timed_return(const void *half) - the same with nothing to load; the half only returns

%include "native.inc"

section .text

global timed_half
timed_half:
        SAVE_CALLERS
        TIMED_KEEP
        rdtsc
        mov     TIMED_START, eax
        TIMED_LOAD
        call    TIMED_HALF
        mov     TIMED_HALF, xax
        rdtsc
        sub     eax, TIMED_START
        TIMED_RESULT
        RESTORE_CALLERS
        ret

global timed_return
timed_return:
        SAVE_CALLERS
        mov     TIMED_HALF, SAVED_1
        rdtsc
        mov     TIMED_START, eax
        call    TIMED_HALF
        mov     TIMED_HALF, xax
        rdtsc
        sub     eax, TIMED_START
        RESTORE_CALLERS
        ret
section .note.GNU-stack noalloc noexec nowrite progbits
