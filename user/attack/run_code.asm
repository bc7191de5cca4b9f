; run_code.asm - void run_code(uintptr_t code): calls it, and saves what C wants saved

%include "native.inc"
section .bss
saved:  resb    WORD

section .text
global run_code
run_code:
        push    xbx
        push    xbp
        push    xsi
        push    xdi
%if WORD == 8
        push    r12
        push    r13
        push    r14
        push    r15
        mov     rax, rdi
%else
        mov     eax, [esp + 20]
%endif
        mov     [saved], xsp
        call    xax
        mov     xsp, [saved]
        cld
%if WORD == 8
        pop     r15
        pop     r14
        pop     r13
        pop     r12
%endif
        pop     xdi
        pop     xsi
        pop     xbp
        pop     xbx
        ret
section .note.GNU-stack noalloc noexec nowrite progbits
