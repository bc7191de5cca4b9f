; ways.asm - events on a bad stack: every register is set before and read after
;
; void starve_go(void) - loads starve_in, causes the event at starve_way on the bad stack, fills
; starve_out; or a signal handler returns to starve_back, with the stack pointer starve_sp. unsigned
; long starve_timed(void) - a push alone: ticks of the time-stamp counter.
;
; The events need no other stack, and change only the registers and flags that they must.

%include "native.inc"

NMI_TO_ONE      equ 0x4400                   ; ICR: assert, NMI, to the APIC in ICR's upper half
STORE_BELOW     equ 64

section .bss align=1024                 ; in one page, so that only the intended fault happens
global starve_in, starve_out, starve_way, starve_step_flags, starve_sp
starve_in:      resb    (REGISTERS + 1) * WORD
starve_out:     resb    (REGISTERS + 1) * WORD
starve_way:     resb    WORD
starve_step_flags: resb WORD
starve_sp:      resb    WORD

section .text
global starve_go, starve_back, starve_timed
starve_go:
        SAVE_CALLERS
        pushfx
        mov     [starve_sp], xsp
        push    NATIVE [starve_in + AT_FLAGS]
        LOAD_REGISTERS starve_in
        popfx
        jmp     [starve_way]

%macro WAY 1
global starve_%1
starve_%1:
        mov     xsp, [starve_in + AT_SP]
%endmacro

WAY push
        push    xax
        jmp     done
global starve_called
WAY call
        call    starve_called
starve_called:
        jmp     done
WAY store
        mov     [xsp - STORE_BELOW], xax
        jmp     done
WAY interrupt                           ; with IF off until HLT
        sti
        hlt
        cli
        jmp     done
WAY nmi                                 ; xbp = the APIC's interrupt command register
        mov     dword [xbp], NMI_TO_ONE
%rep 32
        pause
%endrep
        jmp     done

global starve_step                      ; the trap arrives after the instruction behind POPF
starve_step:
        push    NATIVE [starve_step_flags]
        popfx
        mov     xsp, [starve_in + AT_SP]

done:   STORE_REGISTERS starve_out
        mov     [starve_out + AT_SP], xsp
        mov     xsp, [starve_sp]
        pushfx
        pop     NATIVE [starve_out + AT_FLAGS]
starve_back:
        popfx
        RESTORE_CALLERS
        ret

starve_timed:
        SAVE_CALLERS
        mov     [starve_sp], xsp
        mov     xbx, [starve_in + AT_SP]
        rdtsc
        mov     esi, eax
        mov     xsp, xbx
        push    xax
        rdtsc
        mov     xsp, [starve_sp]
        sub     eax, esi
        RESTORE_CALLERS
        ret
section .note.GNU-stack noalloc noexec nowrite progbits
