; ways.asm - the ways in that a program of Linux's has, as user halves: what timed_half() calls
;
; Registers as system_call()'s; the result in eax (rax).

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
