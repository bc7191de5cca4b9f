; callgate.asm - far CALL through a call gate, return by far RET
;
; The gate loads SS:ESP from the TSS and pushes SS ESP CS EIP (eight bytes each in long mode, no
; parameters). It saves no flags and changes none: NT, DF, AC, IOPL and IF keep the program's values
; until the kernel half loads clean flags. (SDM 3A, "Accessing a Code Segment Through a Call Gate";
; AMD APM 2, "Call Gates")
;
;       rax     call number             rax     result
;       arguments as in abi.inc          rcx, r11 clobbered on amd64; all else preserved

%include "asm.inc"

KERNEL callgate_standard_entry, FAR_CALL
        PROBE   MP2
        FRAME_FROM_FAR_CALL
        push    RFLAGS_FIXED
        popfx
        SAVE_FRAME
        DISPATCH
        cmp     byte [cpu_work], 0
        jne     WORK
        FRAME_TO_FAR_RETURN
        PROBE   MP7
        retfx

        AWAY
%ifndef SET

KERNEL callgate_nowork_entry, FAR_CALL
        PROBE   MP2
        FRAME_FROM_FAR_CALL
        push    RFLAGS_FIXED
        popfx
        SAVE_FRAME
        DISPATCH
        FRAME_TO_FAR_RETURN
        PROBE   MP7
        retfx

KERNEL callgate_service_entry, FAR_CALL
        PROGRAM_STACK
        PROBE   MP2
        pushfx
        push    RFLAGS_FIXED
        popfx
        PROBE   MP3
        CALL_SERVICE_HERE
        PROBE   MP6
        popfx
        PROBE   MP7
        retfx

KERNEL callgate_bare_entry, FAR_CALL
        PROGRAM_STACK
        PROBES_ALL
        retfx

; All four user halves are the same code: the gate's descriptor selects the kernel half.
USER callgate_standard_call, callgate_nowork_call, callgate_service_call, callgate_bare_call
        PROBE   MP1
        call    far dword [.gate]
        PROBE   MP8
        ret
.gate:  dd      0
        dw      GATE_SELECTOR
%endif
