; selfint.asm - an interrupt that a trusted program sends itself, by the local APIC
;
; A write to the interrupt command register sends it; it waits until IF is set, and STI keeps it
; out for one more instruction, so HLT always has it to wait for. An NMI or a single step between
; the two lets it in before HLT, which then had nothing to wait for: it is passed over. The kernel
; half acknowledges the interrupt:
; without the write to EOI no other would come. (SDM 3A, "Issuing Interprocessor Interrupts",
; "Signaling Interrupt Servicing Completion"; 2B, STI)
;
; All registers are preserved; IF is clear after it.

%include "asm.inc"

%define FIX_UP_selfint(ip, flags) mov dword [APIC_PAGE + APIC_EOI], 0
%include "halves.inc"

USER selfint_call
        cli
        PROBE   MP1
        mov     dword [APIC_PAGE + APIC_ICR], APIC_TO_SELF | VECTOR_SELF
        sti
        WAIT_FIXUP .awake
        hlt
.awake:
        PROBE   MP8
        cli
        ret

HALVES selfint, VECTOR_SELF
