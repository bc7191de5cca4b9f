; timed.asm - one call between two stamps, as short as it can be, amd64 (user/lib/timed.h)
;
; uint32_t timed_half(const void *half, long number, long a, long b, long c, long *result)
;       loads the registers between, and calls a user half
; uint32_t timed_return(const void *half) - the same with nothing to load; the half only returns

%include "native.inc"

section .text

global timed_half
timed_half:
        SAVE_CALLERS
        mov     rbx, rdi
        mov     rbp, rsi
        mov     r12, rdx
        mov     r13, rcx
        mov     r14, r8
        push    r9
        rdtsc
        mov     r15d, eax
        mov     rdi, r12
        mov     rsi, r13
        mov     rdx, r14
        mov     eax, ebp
        call    rbx
        mov     rbx, rax
        rdtsc
        sub     eax, r15d
        pop     r9
        mov     [r9], rbx
        RESTORE_CALLERS
        ret

global timed_return
timed_return:
        SAVE_CALLERS
        mov     rbx, rdi
        rdtsc
        mov     r15d, eax
        call    rbx
        mov     rbx, rax
        rdtsc
        sub     eax, r15d
        RESTORE_CALLERS
        ret
section .note.GNU-stack noalloc noexec nowrite progbits
