; signals.asm - what a test of signals needs beside C, amd64 (user/lib/signals.h)

bits 64
default rel
section .bss
saved:  resq 1

section .text

global restorer_plain
restorer_plain:
        mov     eax, 15                 ; rt_sigreturn
        syscall

global guarded_call, guarded_back
guarded_call:
        push    rbx
        push    rbp
        push    r12
        push    r13
        push    r14
        push    r15
        sub     rsp, 8
        mov     [saved], rsp
        mov     rax, rdi
        mov     rdi, rsi
        call    rax
        xor     eax, eax
        jmp     guarded_out
guarded_back:
        mov     eax, 1
        mov     rsp, [saved]
guarded_out:
        add     rsp, 8
        pop     r15
        pop     r14
        pop     r13
        pop     r12
        pop     rbp
        pop     rbx
        ret

global sigreturn_at
sigreturn_at:
        mov     rsp, rdi
        mov     eax, 15
        syscall
        hlt

global kill_over_red_zone
kill_over_red_zone:
        lea     rdx, [rsp - 128]
        mov     ecx, 128
.fill:  mov     [rdx + rcx - 1], cl
        dec     ecx
        jnz     .fill
        mov     eax, 62
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

global fault_after_call, fault_after_call_at
fault_after_call:
        mov     rax, -512
        jmp     fault_after_call_at
        int     0x80
fault_after_call_at:
        ud2
        ret
section .note.GNU-stack noalloc noexec nowrite progbits
