; syscall.asm - SYSCALL, return by SYSRET
;
; SYSCALL loads RIP from LSTAR (CSTAR from compatibility mode, STAR[31:0] in legacy mode), CS and SS
; from STAR, puts the return address in rcx and, in long mode, the flags in r11 and clears those of
; FMASK. In legacy mode it clears IF, VM, RF only and saves no flags; its SYSRET sets IF. It never
; touches the stack: the first instructions run at CPL 0 on the program's stack. (AMD APM 3,
; SYSCALL, SYSRET; SDM 2B. Outside 64-bit mode only AMD has it.)
;
;       rax     call number             rax     result
;       arguments as in abi.inc          rcx, r11 clobbered on amd64; rcx by service and bare

%include "asm.inc"

KERNEL syscall_standard_entry, CFI_SYSCALL
        PROBE   MP2
        FRAME_FROM_SYSCALL
        SAVE_FRAME
        DISPATCH SYSCALL_SIXTH
        cmp     byte [cpu_work], 0
        jne     WORK
        RESTORE_BUT none
        SYSRET_FROM_FRAME
        PROBE   MP7
        sysretx

        AWAY
%ifndef SET

KERNEL syscall_nowork_entry, CFI_SYSCALL
        PROBE   MP2
        FRAME_FROM_SYSCALL
        SAVE_FRAME
        DISPATCH SYSCALL_SIXTH
        RESTORE_BUT none
        SYSRET_FROM_FRAME
        PROBE   MP7
        sysretx

KERNEL syscall_service_entry, CFI_SYSCALL
        PROBE   MP2
        mov     [KERNEL_SEGMENT cpu_user_sp], rsp
        CFI_CFA_SAVED
        mov     rsp, [KERNEL_SEGMENT cpu_stack]
        SYSCALL_CLEAN_FLAGS
        PROBE   MP3
        CALL_SERVICE
        PROBE   MP6
        SYSCALL_FLAGS_BACK
        mov     rsp, [KERNEL_SEGMENT cpu_user_sp]
        PROGRAM_STACK
        CFI_DEPTH 0
        PROBE   MP7
        sysretx

KERNEL syscall_bare_entry, CFI_SYSCALL
        PROBES_ALL
        sysretx

USER syscall_standard_call, syscall_nowork_call
        PROBE   MP1
        SYSCALL_SAVE
        syscall
        SYSCALL_RESTORE
        PROBE   MP8
        ret

USER syscall_service_call, syscall_bare_call
        PROBE   MP1
        syscall
        PROBE   MP8
        ret
%endif
