; start.asm - a program's start, and its calls into the kernel, amd64
;
; System calls as on Linux: rax number and result; rdi rsi rdx r10 r8 r9 arguments.

%include "native.inc"
%include "cfi.inc"

default rel
section .text

extern main

global _start
_start:
        xor     ebp, ebp
        mov     rdi, [rsp]              ; argc
        lea     rsi, [rsp + 8]          ; argv
        lea     rdx, [rsi + rdi * 8 + 8] ; envp
        and     rsp, -16
        call    main
        mov     edi, eax
        lea     eax, [abs 231]          ; exit_group; MOV directly before SYSCALL would be a site
        syscall
        hlt

; long system_call(long number, long a, long b, long c, long d, long e, long f)
global system_call
system_call:
        CFI_CALLED
        mov     rax, rdi
        mov     rdi, rsi
        mov     rsi, rdx
        mov     rdx, rcx
        mov     r10, r8
        mov     r8, r9
        mov     r9, [rsp + 8]
        syscall
        ret

; A signal handler returns here (SA_RESTORER). The program's registers are in the struct ucontext on
; top of the stack. An unwinder that follows a return address looks up the byte before it.
%macro CFI_SAVED 2                      ; register, where
        CFI_LINE db DW_CFA_expression, %1, 3, DW_OP_breg7, ULEB(%2)
%endmacro
%define DW_OP_breg7 0x77
%define DWARF_rip 16
UC_CONTEXT equ 40
global signal_return
        CFI_OPEN GATE
        CFI_LINE db DW_CFA_def_cfa_expression, 4, DW_OP_breg7, ULEB(UC_CONTEXT + 15 * 8), DW_OP_deref
        CFI_SAVED DWARF_r12, UC_CONTEXT + 4 * 8
        CFI_SAVED DWARF_r13, UC_CONTEXT + 5 * 8
        CFI_SAVED DWARF_r14, UC_CONTEXT + 6 * 8
        CFI_SAVED DWARF_r15, UC_CONTEXT + 7 * 8
        CFI_SAVED DWARF_rbp, UC_CONTEXT + 10 * 8
        CFI_SAVED DWARF_rbx, UC_CONTEXT + 11 * 8
        CFI_SAVED DWARF_rip, UC_CONTEXT + 16 * 8
        nop
signal_return:
        mov     eax, RT_SIGRETURN
        syscall
        CFI_END

; long toll_call(...) - the same by INT 80h, whatever rows are armed
global toll_call
toll_call:
        CFI_CALLED
        mov     rax, rdi
        mov     rdi, rsi
        mov     rsi, rdx
        mov     rdx, rcx
        mov     r10, r8
        mov     r8, r9
        mov     r9, [rsp + 8]
        int     0x80
        ret

; long toll_hand(long tid, long word)
; long toll_hand_by(const void *half, long tid, long word) - through a user half of the gate page
global toll_hand, toll_hand_by
toll_hand_by:
        mov     rcx, rdi
        mov     rdi, rsi
        mov     rsi, rdx
        mov     eax, 510
        jmp     rcx
toll_hand:
        mov     eax, 510
        int     0x80
        ret

; long gate_call(const void *half, long number) - through a user half of the gate page
global gate_call
gate_call:
        CFI_CALLED
        push    rbx
        mov     rax, rsi
        call    rdi
        pop     rbx
        ret

; void gate_batch(const void *half, long number, unsigned long rounds)
global gate_batch
gate_batch:
        CFI_CALLED
        push    rbx
        push    rbp
        push    r12
        mov     r12, rdi
        mov     rbx, rsi
        mov     rbp, rdx
.next:  mov     rax, rbx
        call    r12
        dec     rbp
        jnz     .next
        pop     r12
        pop     rbp
        pop     rbx
        ret

; long thread_start(long flags, void *stack_top, int *tid, void (*run)(void)) - clone() with a stack
; of its own, on which run() begins; it must not return
global thread_start
thread_start:
        mov     r8, rcx
        lea     rsi, [rsi - 8]          ; as after a call instruction
        mov     r10, rdx                ; CLEARTID
        mov     eax, 56
        push    rbx
        mov     rbx, r8
        xor     r8d, r8d
        syscall
        test    rax, rax
        jz      .child
        pop     rbx
        ret
.child: xor     ebp, ebp
        jmp     rbx
section .note.GNU-stack noalloc noexec nowrite progbits
