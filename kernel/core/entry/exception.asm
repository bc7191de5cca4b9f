; exception.asm - exceptions that a program causes on purpose and survives
;
; An interrupt or trap gate pushes the interrupt stack frame, with an error code on top for #GP and
; #PF, and clears TF, NT, RF (an interrupt gate IF too). At the same privilege both kernels stay on
; the program's stack unless the gate has an IST stack, and i386 pushes no SS:ESP. A task gate saves
; all registers in the TSS. #BP and the #DB of TF are traps: IP is already behind the instruction.
; The others are faults: IP is at it. (SDM 3A, "Exception Classifications")
;
; All registers and flags are preserved. The labels are NAME_call and, for each way in,
; NAME_here_entry, NAME_move_entry (amd64), NAME_task_entry (i386).

%include "asm.inc"

; FIX_UP_NAME ip, flags - changes that the return needs, to ip and flags as the gate saved them
%macro SKIP 2.nolist
        add     NATIVE %2, %[COPY]_%[ORIGIN]_%1_call.behind - %[COPY]_%[ORIGIN]_%1_call.at
%endmacro
%define FIX_UP_ud(ip, flags) SKIP ud, ip
%define FIX_UP_bp(ip, flags)
%define FIX_UP_db(ip, flags) and NATIVE flags, ~RFLAGS_TF
%define FIX_UP_gp(ip, flags) SKIP gp, ip
%define FIX_UP_pf(ip, flags) SKIP pf, ip

%include "halves.inc"

USER ud_call
        PROBE   MP1
.at:    ud2
.behind:
        PROBE   MP8
        ret

USER bp_call
        PROBE   MP1
        int3
        PROBE   MP8
        ret

; the step happens after the instruction behind POPF
USER db_call
        PROBE   MP1
        pushfx
        or      NATIVE [rsp], RFLAGS_TF
        popfx
        nop
        PROBE   MP8
        ret

; a null selector: #GP at every privilege, in every mode
USER gp_call
        PROBE   MP1
.at:    jmp     far dword [.nowhere]
.behind:
        PROBE   MP8
        ret
.nowhere:
        dd      0
        dw      0

; page 0 is never mapped
USER pf_call
        PROBE   MP1
.at:    mov     uax, [abs 0]
.behind:
        PROBE   MP8
        ret

HALVES ud, VECTOR_UD
HALVES bp, VECTOR_BP
HALVES db, VECTOR_DB
HALVES gp, VECTOR_GP
HALVES pf, VECTOR_PF
