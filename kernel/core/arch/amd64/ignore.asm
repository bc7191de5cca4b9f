; ignore.asm - SYSCALL while no SYSCALL row is armed, or from a mode without one
;
; -ENOSYS, returned to the caller's mode: to 64-bit code, to 32-bit code, and at CPL 0 without
; SYSRET, which would drop to CPL 3. (Not in an origin's path: origin.inc assumes a user program.)

%define COPY clean
%define ORIGIN trusted
%include "asm.inc"

        bits    64
        section .exit progbits alloc exec nowrite align=16

global syscall_ignore, syscall_ignore_compat, syscall_ignore_trusted
syscall_ignore:
        CFI_SYSCALL
        mov     rax, -ENOSYS
        o64 sysret
        CFI_END

syscall_ignore_compat:
        CFI_SYSCALL
        mov     eax, -ENOSYS
        o32 sysret
        CFI_END

syscall_ignore_trusted:
        CFI_SYSCALL
        mov     [cpu_user_sp], rsp
        CFI_CFA_SAVED
        mov     rsp, [cpu_stack]
        mov     rax, -ENOSYS
        push    r11
        popfx
        mov     rsp, [cpu_user_sp]
        PROGRAM_STACK
        CFI_DEPTH 0
.out:   TABLE   .ways_out, .out
        jmp     rcx
        CFI_END
