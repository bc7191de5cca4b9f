; signals.asm - helpers of signal tests, amd64 (user/lib/signals.h)

%include "native.inc"

section .text

global restorer_old
restorer_old:
        mov     eax, RT_SIGRETURN
        syscall

global kill_over_red_zone
kill_over_red_zone:
        lea     rdx, [rsp - 128]
        mov     eax, 62                 ; kill; directly before SYSCALL this would be a site
        mov     ecx, 128
.fill:  mov     [rdx + rcx - 1], cl
        dec     ecx
        jnz     .fill
        syscall
        xor     eax, eax
        mov     ecx, 128
.next:  cmp     [rdx + rcx - 1], cl
        je      .same
        inc     eax
.same:  dec     ecx
        jnz     .next
        ret

global fault_write, fault_write_end
fault_write:
        mov     byte [rdi], 1
fault_write_end:
        ret
section .note.GNU-stack noalloc noexec nowrite progbits
