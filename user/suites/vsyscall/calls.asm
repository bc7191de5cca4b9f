; calls.asm - calls between two stamps, and through the user halves with arguments

%include "native.inc"
%include "cfi.inc"

section .bss align=16
global call_begun, call_ended
call_begun: resb 8
call_ended: resb 8
saved:  resb    WORD
half:   resb    WORD

section .text

%macro STAMP 1
        rdtsc
        mov     [%1], eax
        mov     [%1 + 4], edx
%endmacro

; void timed_call(const void *function, long a, long b) void timed_nothing(...) - the same without
; the call
;       the TSC before and after: call_begun, call_ended. A handler may return to
;       call_back instead.
global timed_call, timed_nothing, call_back
%macro TIMED 0-*
        CFI_CALLED
        SAVE_CALLERS
        mov     [saved], xsp
        mov     xbx, SAVED_1
        mov     xcx, SAVED_3
        mov     xdx, SAVED_2
        mov     xdi, xdx                ; amd64's arguments
        mov     xsi, xcx
        push    xcx                     ; i386's
        push    xdx
        STAMP   call_begun
%rep %0
        call    xbx
call_back:
%endrep
        STAMP   call_ended
        mov     xsp, [saved]
        RESTORE_CALLERS
        ret
%endmacro
timed_call:
        TIMED   call
timed_nothing:
        TIMED

; long gate_call_with(const void *half, long number, long a, long b)
global gate_call_with
gate_call_with:
        CFI_CALLED
        SAVE_CALLERS
        mov     xax, SAVED_1
        mov     [half], xax
        mov     xax, SAVED_2
        mov     xbx, SAVED_3            ; i386's arguments
        mov     xcx, SAVED_4
        mov     xdi, xbx                ; amd64's
        mov     xsi, xcx
        call    [half]
        RESTORE_CALLERS
        ret
global rdtsc_alone, rdtsc_behind_lfence
rdtsc_behind_lfence:
        lfence
rdtsc_alone:
        rdtsc
        ret
section .note.GNU-stack noalloc noexec nowrite progbits
