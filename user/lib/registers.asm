; registers.asm - calls with every register chosen, and code without a stack (user/lib/registers.h)
;
; void registers_call(const void *half, struct registers *r) - calls, then reads every register void
; fpu_call(const void *half, long number, void *before, void *after)
;       with an x87 and an SSE state of patterns, in two FXSAVE areas

%include "native.inc"

section .bss align=16
half:           resb    WORD
pointer:        resb    WORD
stack:          resb    WORD
area:           resb    REGISTERS * WORD

section .text

global registers_call
registers_call:
        SAVE_CALLERS
        mov     xax, SAVED_1
        mov     [half], xax
        mov     xsi, SAVED_2
        mov     [pointer], xsi
        mov     xdi, area
        mov     ecx, REGISTERS
        cld
        copy_words
        mov     [stack], xsp
        push    NATIVE [area + AT_FLAGS]
        LOAD_REGISTERS area
        popfx
        call    [half]
        STORE_REGISTERS area
        pushfx
        pop     NATIVE [area + AT_FLAGS]
        push    0x202                   ; with IF, which would be lost at CPL 0
        popfx
        mov     xsp, [stack]
        mov     xsi, area
        mov     xdi, [pointer]
        mov     ecx, REGISTERS
        copy_words
        RESTORE_CALLERS
        ret

global fpu_call
fpu_call:
        SAVE_CALLERS
        mov     xax, SAVED_4
        mov     [pointer], xax
        fninit
        fld1
        fldpi
        fldl2e
        mov     xax, patterns
%assign n 0
%rep XMM_REGISTERS
        movups  xmm%[n], [xax + n * 16]
%assign n n + 1
%endrep
        mov     xcx, SAVED_3
        fxsave  [xcx]
        mov     xax, SAVED_2
        call    SAVED_1
        mov     xcx, [pointer]
        fxsave  [xcx]
        fninit
        RESTORE_CALLERS
        ret

; long segments_call(const void *half, long number, unsigned selector)
;       with ds es fs gs loaded (bit n of the result: the nth was changed)
global segments_call
segments_call:
        SAVE_CALLERS
        mov     xbx, SAVED_3
        mov     xax, SAVED_2
        mov     xsi, SAVED_1
        DATA_SEGMENTS_KEPT
        mov     fs, ebx
        mov     gs, ebx
        mov     es, ebx
        mov     ds, ebx
        call    xsi
        xor     eax, eax
        xor     edx, edx
        mov     ecx, ds
        cmp     cx, bx
        setne   al
        mov     ecx, es
        cmp     cx, bx
        setne   dl
        lea     eax, [xax + xdx * 2]
        mov     ecx, fs
        cmp     cx, bx
        setne   dl
        lea     eax, [xax + xdx * 4]
        mov     ecx, gs
        cmp     cx, bx
        setne   dl
        lea     eax, [xax + xdx * 8]
        DATA_SEGMENTS_BACK
        RESTORE_CALLERS
        ret

; void bad_stack(void) - pushes with a stack pointer of 0
global bad_stack
bad_stack:
        xor     esp, esp
        push    xax
        hlt

; long without_stack(unsigned what, unsigned long rounds) - with the stack pointer at the end of
; page 0, which is never mapped: a push (0), a call (1), a store below it (2), a loop without stack
; use (3), a single step (4), a SYSCALL (5), whose result it returns
NO_STACK        equ 0x1000
global without_stack
without_stack:
        mov     xax, ARGUMENT_1
        mov     xcx, ARGUMENT_2
        mov     eax, eax                ; an int
        push    xbx
        mov     xbx, xsp
        jmp     [.ways + xax * WORD]
.push:  mov     esp, NO_STACK
        push    xax
        jmp     .back
.call:  mov     esp, NO_STACK
        call    .back
.store: mov     esp, NO_STACK
        mov     [xsp - 64], xax
        jmp     .back
.loop:  mov     esp, NO_STACK
.next:  dec     xcx
        jnz     .next
        jmp     .back
.step:  pushfx
        or      dword [xsp], 0x100
        popfx
        mov     esp, NO_STACK
        jmp     .back
.syscall:
        mov     eax, GETPID             ; right before SYSCALL it would be a site (docs/trusted.md)
        mov     esp, NO_STACK
        syscall
.back:  mov     xsp, xbx
        pop     xbx
        ret
align WORD
.ways:  ADDRESS .push, .call, .store, .loop, .step, .syscall

section .rodata align=16
patterns:
%assign n 0
%rep 16
        dd      0x11111111 * n, 0x01234567 + n, 0x89abcdef - n, n
%assign n n + 1
%endrep
section .note.GNU-stack noalloc noexec nowrite progbits
