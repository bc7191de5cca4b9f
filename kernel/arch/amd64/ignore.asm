; ignore.asm - SYSCALL from the mode that has no row

%define COPY clean
%define ORIGIN user
%include "asm.inc"

        bits    64
        section .exit progbits alloc exec nowrite align=16

; -ENOSYS, back the way it came. The return to the other width ends in that program's own fault.
global syscall_ignore
syscall_ignore:
        CFI_SYSCALL
        mov     rax, -ENOSYS
        o32 sysret
        CFI_END
