; stepped.asm - a function called with TF set: SIGTRAP comes before each of its instructions

%include "native.inc"
%include "cfi.inc"

section .text

; void stepped_call(const void *function, long a, long b)
;       stepped_back is where it returns to
global stepped_call, stepped_back
stepped_call:
        CFI_CALLED
        SAVE_CALLERS
        mov     xax, SAVED_1
        mov     xcx, SAVED_3
        mov     xdx, SAVED_2
        mov     xdi, xdx                ; amd64's arguments
        mov     xsi, xcx
        push    xcx                     ; i386's
        push    xdx
        pushfx
        or      NATIVE [xsp], 0x100
        popfx
        call    xax
stepped_back:
        pushfx
        and     NATIVE [xsp], ~0x100
        popfx
        add     xsp, 2 * WORD
        RESTORE_CALLERS
        ret
section .note.GNU-stack noalloc noexec nowrite progbits
