; isolation.asm - entry stubs while a program runs on a page table of its own (isolation.c)
;
; A stub loads the root of the full table, a page below the program's, and jumps to the usual entry.
; The flags are still the program's after a call gate or SYSENTER.

%define COPY clean
%define ORIGIN user
%include "asm.inc"

extern isolation_ways, isolation_found, isolation_root

        bits    64
        section .entry_stubs progbits alloc exec nowrite align=16

; All stubs have one size; indices beyond the vectors are the call gate's and SYSENTER's.
global isolation_stubs
isolation_stubs:
%assign n 0
%rep ISOLATION_STACKED
        align   ISOLATION_STUB
        CFI_EXCEPTION n
        push    qword [isolation_ways + n * WORD]
        jmp     isolation_enter
        CFI_END
%assign n n + 1
%endrep

isolation_enter:
        CFI_OPEN GATE
        CFI_FRAME WORD
        pushfx
        push    rax
        mov     rax, cr3
        mov     [isolation_found], rax
        and     rax, ~ISOLATION_NUMBER
        cmp     rax, [isolation_root]
        jne     .whole
        and     rax, ~PAGE_SIZE
        mov     cr3, rax
.whole: pop     rax
        popfx
        ret
        CFI_END

; ISOLATED_SYSCALL n - the stub for SYSCALL, where the stack is the program's; CR3 is either root
%macro ISOLATED_SYSCALL 1
        CFI_SYSCALL
        mov     [cpu_user_sp], rsp
        CFI_CFA_SAVED
        mov     rsp, cr3
        and     rsp, ~(PAGE_SIZE | ISOLATION_NUMBER)
        mov     cr3, rsp
        mov     rsp, [cpu_user_sp]
        CFI_DEPTH 0
        jmp     [isolation_ways + (%1) * WORD]
        CFI_END
%endmacro
global isolation_syscall, isolation_syscall_compat
isolation_syscall:
        ISOLATED_SYSCALL ISOLATION_LSTAR
isolation_syscall_compat:
        ISOLATED_SYSCALL ISOLATION_CSTAR
