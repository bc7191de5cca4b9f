; sysenter.asm - SYSENTER, return by SYSEXIT
;
; SYSENTER loads CS, ESP and EIP from MSRs and SS from CS + 8, and clears IF and VM. It saves
; nothing, not even the return address, and leaves NT, DF, AC, IOPL and TF as they were. SYSEXIT
; takes EIP from edx and ESP from ecx, CS and SS from SYSENTER_CS, and sets no flag. (SDM 2B,
; SYSENTER, SYSEXIT; #UD in long mode on AMD: AMD APM 3, SYSENTER)
;
; The landing is a constant of the armed row (cpu_landing), so no register has to hold it.
;
;       rax     call number             rax     result
;       arguments as in abi.inc          rcx, rdx clobbered on amd64, and by service and bare

%include "asm.inc"

; FRAME_FROM_SYSENTER - pushes the words of an INT
%macro FRAME_FROM_SYSENTER 0
        PLACE   first
        push    PROGRAM_SS
        PUSH_SYSENTER_SP
        pushfx
        or      NATIVE [rsp], RFLAGS_IF
        push    PROGRAM_CS
        push    NATIVE [KERNEL_SEGMENT cpu_landing]
        CFI_FRAME 0
%endmacro

; SYSEXIT_FROM_FRAME - edx = ip, ecx = sp; flags with IF off, so that STI's shadow covers SYSEXIT
%macro SYSEXIT_FROM_FRAME 0
        PLACE   out
        mov     rdx, [rsp + FRAME_IP - FRAME_NUMBER]
        CFI_IP_IN rdx
        DROP    FRAME_FLAGS - FRAME_NUMBER
        and     NATIVE [rsp], ~RFLAGS_IF
        popfx
        pop     rcx
        CFI_CFA_IN rcx
%endmacro

; LANDING - SYSEXIT's target, recorded for entry/select.c
%macro LANDING 0
.landing:
        TABLE   .landings, HALF, .landing
%endmacro

KERNEL sysenter_standard_entry, CFI_SYSENTER SYSENTER_SP
        PROBE   MP2
        FRAME_FROM_SYSENTER
        SAVE_FRAME
        DISPATCH SYSENTER_SIXTH
        cmp     byte [cpu_work], 0
        jne     WORK
        RESTORE_BUT rcx, rdx
        SYSEXIT_FROM_FRAME
        PROBE   MP7
        sti
        sysexitx

        AWAY
%ifndef SET

KERNEL sysenter_nowork_entry, CFI_SYSENTER SYSENTER_SP
        PROBE   MP2
        FRAME_FROM_SYSENTER
        SAVE_FRAME
        DISPATCH SYSENTER_SIXTH
        RESTORE_BUT rcx, rdx
        SYSEXIT_FROM_FRAME
        PROBE   MP7
        sti
        sysexitx

KERNEL sysenter_service_entry, CFI_SYSENTER rcx
        PROBE   MP2
        pushfx
        push    RFLAGS_FIXED
        popfx
        PROBE   MP3
        CALL_SERVICE
        PROBE   MP6
        popfx
        PROBE   MP7
        sti
        sysexitx

KERNEL sysenter_bare_entry, CFI_SYSENTER rcx
        PROBES_ALL
        sysexitx

USER sysenter_standard_call, sysenter_nowork_call
        PROBE   MP1
        SYSENTER_SAVE
        sysenter
        LANDING
        SYSENTER_RESTORE
        PROBE   MP8
        ret

; These two take no arguments: the registers for SYSEXIT are loaded here.
USER sysenter_service_call, sysenter_bare_call
        PROBE   MP1
        mov     ucx, usp
        mov     udx, .landing
        sysenter
        LANDING
        PROBE   MP8
        ret
%endif
