; stubs.asm - instructions with an immediate number, or with an operand that C cannot express
;
; vector_stubs: 256 stubs of four bytes, INT n and RET.

%include "native.inc"

section .text
align 4
global vector_stubs
vector_stubs:
%assign n 0
%rep 256
        db      0xcd, n, 0xc3, 0x90
%assign n n + 1
%endrep

; bool selector_reads(unsigned selector), selector_writes: results of VERR and VERW unsigned
; selector_rights(unsigned selector): LAR's result, 0 if not accessible
global selector_reads, selector_writes, selector_rights
selector_reads:
        mov     xax, ARGUMENT_1
        verr    ax
        setz    al
        ret
selector_writes:
        mov     xax, ARGUMENT_1
        verw    ax
        setz    al
        ret
selector_rights:
        mov     xax, ARGUMENT_1
        lar     ecx, eax                ; a Pentium has no CMOV
        mov     eax, 0
        jnz     .unseen
        mov     eax, ecx
.unseen:
        ret

; void load_ds(uintptr_t selector), load_es, load_fs, load_gs, load_ss: loads, and restores the old
; one
%macro LOAD 1
global load_%1
load_%1:
        mov     xax, ARGUMENT_1
        mov     ecx, %1
        mov     %1, eax
        mov     %1, ecx
        ret
%endmacro
        LOAD    ds
        LOAD    es
        LOAD    fs
        LOAD    gs
        LOAD    ss

; void keep_ds(uintptr_t selector), keep_es, keep_fs, keep_gs, keep_ss: loads without restoring
%macro KEEP 1
global keep_%1
keep_%1:
        mov     xax, ARGUMENT_1
        mov     %1, eax
        ret
%endmacro
        KEEP    ds
        KEEP    es
        KEEP    fs
        KEEP    gs
        KEEP    ss

; void far_jump(uintptr_t selector), far_call, far_return, interrupt_return: to `landing`, which is
; UD2 in code of both widths
section .data
target: dd      landing
selector: dw    0
section .text
landing:
        ud2
global far_jump, far_call, far_return, interrupt_return
far_jump:
        mov     xax, ARGUMENT_1
        mov     [selector], ax
        jmp     far dword [target]
far_call:
        mov     xax, ARGUMENT_1
        mov     [selector], ax
        mov     eax, GETPID
        push    xbx
        call    far dword [target]
        pop     xbx
        ret
far_return:
        mov     xax, ARGUMENT_1
        push    xax
        push    landing
        retfx
interrupt_return:
        mov     xax, ARGUMENT_1
        mov     xcx, xsp
        mov     edx, ss
        push    xdx
        push    xcx
        push    0x202
        push    xax
        push    landing
        iretx

; void push_at(uintptr_t sp), ud2_with_stack_at(uintptr_t sp): the frames of the fault and its
; signal must use another stack, or none
global push_at, ud2_with_stack_at, touch_read, touch_write
push_at:
        mov     xax, ARGUMENT_1
        mov     xsp, xax
        push    xax
ud2_with_stack_at:
        mov     xax, ARGUMENT_1
        mov     xsp, xax
        ud2
touch_read:
        mov     al, [xcx]
        ud2
touch_write:
        mov     [xcx], al
        ud2

; void jump_with_stack(uintptr_t code, long number, uintptr_t sp): does not return
global jump_with_stack
jump_with_stack:
        mov     xcx, ARGUMENT_1
        mov     xax, ARGUMENT_2
        mov     xsp, ARGUMENT_3
        mov     xbp, xsp
        jmp     xcx
section .note.GNU-stack noalloc noexec nowrite progbits
