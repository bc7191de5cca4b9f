; attempt.asm - runs code with every register chosen; a signal handler ends it (user/lib/attempt.h)
;
; void attempt_start(const void *code, const struct attempt *registers)
; attempt_end - where the handler leads to, with rsp = attempt_sp

bits 64
default rel
section .bss
global attempt_sp
attempt_sp:     resq 1
target:         resq 1

section .text
global attempt_start, attempt_end
attempt_start:
        push    rbx
        push    rbp
        push    r12
        push    r13
        push    r14
        push    r15
        mov     [attempt_sp], rsp
        mov     [target], rdi
%assign n 8
%rep 8
        mov     r%[n], [rsi + n * 8]
%assign n n + 1
%endrep
        mov     rax, [rsi]
        mov     rbx, [rsi + 8]
        mov     rcx, [rsi + 16]
        mov     rdx, [rsi + 24]
        mov     rdi, [rsi + 40]
        mov     rbp, [rsi + 48]
        mov     rsp, [rsi + 128]
        push    qword [rsi + 56]
        mov     rsi, [rsi + 32]
        popfq
        jmp     [target]

attempt_end:
        pop     r15
        pop     r14
        pop     r13
        pop     r12
        pop     rbp
        pop     rbx
        ret
section .note.GNU-stack noalloc noexec nowrite progbits
