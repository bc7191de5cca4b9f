; signals.asm - helpers of signal tests in assembly (user/lib/signals.h)

%include "native.inc"
%include "cfi.inc"

section .bss align=16
saved:  resb    WORD

section .text

global guarded_call, guarded_back
guarded_call:
        CFI_CALLED
        SAVE_CALLERS
        mov     [saved], xsp
        mov     xax, SAVED_1
        mov     xdi, SAVED_2            ; amd64's argument
        push    xdi                     ; for i386, and for amd64's alignment
        call    xax
        xor     eax, eax
        jmp     guarded_out
guarded_back:
        mov     eax, 1
guarded_out:
        mov     xsp, [saved]
        RESTORE_CALLERS
        ret

global sigreturn_at
sigreturn_at:
        mov     xsp, ARGUMENT_1
        mov     eax, RT_SIGRETURN
        LINUX_CALL
        hlt

global toll_return
toll_return:
        mov     eax, RT_SIGRETURN
        int     0x80

global fault_after_call, fault_after_call_at
fault_after_call:
        mov     xax, -512
        jmp     fault_after_call_at
        int     0x80
fault_after_call_at:
        ud2
        ret
; void stepped_call(const void *function, long a, long b) - with TF set
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
