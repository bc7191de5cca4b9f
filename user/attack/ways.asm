; ways.asm - enters the kernel in every way: with a bad stack, with odd flags, after MOV SS
;
; long enter_on_stack(unsigned way, long number, uintptr_t sp) long enter_with_flags(unsigned way,
; long number, uintptr_t flags)
; long enter_behind_ss(unsigned way, long number, uintptr_t flags)     MOV SS just before the entry
;
; Ways 0 to 255: INT of that number; 256 the call gate (way_gate); 257 SYSENTER; 258 SYSCALL; 259
; any other, by a row's own user half (way_half), which returns by RET.

%include "native.inc"
%include "ways.inc"

section .bss
align WORD
saved:  resb    WORD
section .data
global way_gate, way_half
way_gate: dd    0
        dw      0
way_half: ADDRESS 0

section .text
%macro STACK_IS_BAD 0
        mov     xsp, xbx
%endmacro
%macro FLAGS_ARE_ODD 0
        push    xbx
        popfx
%endmacro
%macro SS_IS_LOADED 0
        mov     esi, ss
        push    xbx
        popfx
        mov     ss, esi
%endmacro

%macro ENTER 2                          ; %1 = instruction just before, %2 = 1 if the stack is good
        SAVE_CALLERS
        mov     xcx, SAVED_1            ; way
        mov     xax, SAVED_2            ; number
        mov     xbx, SAVED_3            ; value
        mov     [saved], xsp
        jmp     [%%table + xcx * WORD]
%assign n 0
%rep 256
%%int%[n]:
        %1
        int     n
        jmp     back
%assign n n + 1
%endrep
%%gate: %1
        call    far dword [way_gate]
        jmp     back
%%sysenter:
%if %2
        SYSENTER_ON_STACK back
        %1
%else
        %1
        SYSENTER_BY_REGISTERS back
%endif
        sysenter
        jmp     back
%%syscall:
        %1
        syscall
        jmp     back
%%half: lea     xcx, [back]
        push    xcx
        %1
        jmp     [way_half]
        [section .rodata]
%%table:
%assign n 0
%rep 256
        ADDRESS %%int%[n]
%assign n n + 1
%endrep
        ADDRESS %%gate, %%sysenter, %%syscall, %%half
        __?SECT?__
%endmacro

back:
        mov     xsp, [saved]
        push    2
        popfx
        RESTORE_CALLERS
        ret

global enter_on_stack, enter_with_flags, enter_behind_ss
enter_on_stack:
        ENTER   STACK_IS_BAD, 0
enter_with_flags:
        ENTER   FLAGS_ARE_ODD, 1
enter_behind_ss:
        ENTER   SS_IS_LOADED, 1
section .note.GNU-stack noalloc noexec nowrite progbits
