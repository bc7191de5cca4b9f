; signals.asm - helpers of signal tests, i386 (user/lib/signals.h)

%include "native.inc"

section .text

global restorer_old
restorer_old:
        pop     eax
        mov     eax, 119                ; sigreturn
        int     0x80

; the i386 ABI has no red zone
global kill_over_red_zone
kill_over_red_zone:
        push    ebx
        mov     ebx, [esp + 8]
        mov     ecx, [esp + 12]
        mov     eax, 37                 ; kill
        int     0x80
        xor     eax, eax
        pop     ebx
        ret

global fault_write, fault_write_end
fault_write:
        mov     eax, ARGUMENT_1
        mov     byte [eax], 1
fault_write_end:
        ret
section .note.GNU-stack noalloc noexec nowrite progbits
