; timed.asm - one call between two stamps, as short as it can be, i386 (user/lib/timed.h)
;
; uint32_t timed_half(const void *half, long number, long a, long b, long c, long *result)
;       loads the registers between, and calls a user half
; uint32_t timed_return(const void *half) - the same with nothing to load; the half only returns

%include "native.inc"

section .text

global timed_half
timed_half:
        SAVE_CALLERS
        mov     esi, SAVED_1
        rdtsc
        mov     edi, eax
        mov     ebx, [esp + 28]
        mov     ecx, [esp + 32]
        mov     edx, [esp + 36]
        mov     eax, [esp + 24]
        call    esi
        mov     esi, eax
        rdtsc
        sub     eax, edi
        mov     ecx, [esp + 40]
        mov     [ecx], esi
        RESTORE_CALLERS
        ret

global timed_return
timed_return:
        SAVE_CALLERS
        mov     esi, SAVED_1
        rdtsc
        mov     edi, eax
        call    esi
        mov     esi, eax
        rdtsc
        sub     eax, edi
        RESTORE_CALLERS
        ret
section .note.GNU-stack noalloc noexec nowrite progbits
