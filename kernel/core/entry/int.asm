; int.asm - INT n through an interrupt gate, return by IRET
;
; INT with a change of privilege loads SS:ESP from the TSS, pushes SS ESP EFLAGS CS EIP, and clears
; IF, TF, NT, RF. It keeps DF and AC. From CPL 0, i386 pushes EFLAGS CS EIP on the current stack;
; amd64 switches to an IST stack.
; (SDM 3A, "Exception- or Interrupt-Handler Procedures"; 2A, INT n)
;
;       rax     call number             rax     result
;       arguments as in abi.inc          all other registers and the flags are preserved

%include "asm.inc"

KERNEL int_standard_entry, INT_GATE
        PROBE   MP2
        FRAME_FROM_INT
        cld
        CLAC
        SAVE_FRAME
        DISPATCH
        cmp     byte [cpu_work], 0
        jne     WORK
        FRAME_TO_IRET
        PROBE   MP7
        iretx

%ifdef SET
        AWAY
%else

KERNEL int_nowork_entry, INT_GATE
        PROBE   MP2
        FRAME_FROM_INT
        cld
        CLAC
        SAVE_FRAME
        DISPATCH
        FRAME_TO_IRET
        PROBE   MP7
        iretx

KERNEL int_service_entry, INT_GATE
        INT_STACK
        PROBE   MP2
        PROBE   MP3
        CALL_SERVICE INT_SERVICE
        PROBE   MP6
        PROBE   MP7
        iretx

KERNEL int_bare_entry, INT_GATE
        INT_STACK
        PROBES_ALL
        iretx

USER int_standard_call
        PROBE   MP1
        int     VECTOR_int_standard
        PROBE   MP8
        ret

USER int_nowork_call
        PROBE   MP1
        int     VECTOR_int_nowork
        PROBE   MP8
        ret

USER int_service_call
        PROBE   MP1
        int     VECTOR_int_service
        PROBE   MP8
        ret

USER int_bare_call
        PROBE   MP1
        int     VECTOR_int_bare
        PROBE   MP8
        ret
%endif
