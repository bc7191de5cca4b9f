; ways.asm - a Linux program's mechanisms as user halves, for timed_half()
;
; Registers as in system_call(); the result in eax (rax).

%include "native.inc"

section .text

global way_int80, way_syscall, way_nothing
way_int80:
        int     0x80
way_nothing:
        ret
way_syscall:
        syscall
        ret
section .note.GNU-stack noalloc noexec nowrite progbits
