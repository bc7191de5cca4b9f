; selfint.asm - an interrupt that a trusted program sends itself, by the local APIC
;
; A write to the interrupt command register sends it. It stays pending until IF is set, and STI
; delays it by one more instruction, so HLT can wait for it. An NMI or a single step between STI and
; HLT lets it in early; HLT would wait forever, so it is skipped. The kernel half acknowledges the
; interrupt: without the write to EOI no other would come. (SDM 3A, "Issuing Interprocessor
; Interrupts", "Signaling Interrupt Servicing Completion"; 2B, STI)
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
