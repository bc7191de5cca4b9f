; samestack.asm - the function call of call.asm without the stack switch
;
; The service routine runs on the program's stack. It must not be interrupted or fault there: the
; frame would be pushed below a stack pointer that the kernel cannot trust. So the rows can be
; selected only while the machine is quiet, and are measured with getpid.
;
;       rax     call number             rax     result
;       arguments as in abi.inc          amd64: rcx, r11, the arithmetic flags clobbered, DF cleared

%include "asm.inc"
%include "direct.inc"

KERNEL samestack_standard_entry, CFI_CALLED_GATE
        extern  %[COPY]_%[ORIGIN]_call_work
        DIRECT_CALL DIRECT_HERE
.back:  cmp     byte [cpu_work], 0
        jne     .work
        DIRECT_RETURN_HERE
.nosys: mov     rax, -ENOSYS
        jmp     .back
.work:  DIRECT_LEAVE_HERE
        jmp     %[COPY]_%[ORIGIN]_call_work

KERNEL samestack_nowork_entry, CFI_CALLED_GATE
        DIRECT_CALL DIRECT_HERE
.back:  DIRECT_RETURN_HERE
.nosys: mov     rax, -ENOSYS
        jmp     .back

USER samestack_standard_call, samestack_nowork_call
        PROBE   MP1
        call    [cpu_direct]
        PROBE   MP8
        ret
