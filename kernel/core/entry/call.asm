; call.asm - a function call: what is left of a system call when the program runs at CPL 0
;
; CALL pushes the return address on the program's stack and changes nothing else. The kernel half is
; C's callee: the registers that C keeps are kept by the service routine itself, so the standard row
; saves only what the system-call ABI promises beyond that. It changes to the kernel's stack, which
; a service routine may need, and leaves interrupts as they are. No frame is built, unless work is
; pending or the call needs one (FRAME_CALL in sys.def): then it is made up, and the way out
; is IRET's.
;
;       rax     call number             rax     result
;       arguments as in abi.inc          amd64: rcx, r11, the arithmetic flags clobbered, DF cleared

%include "asm.inc"
%include "direct.inc"

KERNEL call_standard_entry, CFI_CALLED_GATE
        DIRECT_CALL DIRECT_STACK
.back:  cmp     byte [cpu_work], 0
        jne     .work
        DIRECT_RETURN
.nosys: mov     rax, -ENOSYS
        jmp     .back
.work:  DIRECT_LEAVE
        jmp     %[COPY]_%[ORIGIN]_call_work

KERNEL call_nowork_entry, CFI_CALLED_GATE
        DIRECT_CALL DIRECT_STACK
.back:  DIRECT_RETURN
.nosys: mov     rax, -ENOSYS
        jmp     .back

KERNEL call_service_entry, CFI_CALLED_GATE
        PROGRAM_STACK
        PROBE   MP2
        PROBE   MP3
        CALL_SERVICE_HERE
        PROBE   MP6
        PROBE   MP7
        ret

KERNEL call_bare_entry, CFI_CALLED_GATE
        PROGRAM_STACK
        PROBES_ALL
        ret

; Where the pointer leads while a row is armed alone (select.c).
KERNEL call_shut, CFI_CALLED_GATE
        PROGRAM_STACK
        mov     rax, -ENOSYS
        ret

; The frame that INT would have made: for work that is pending, and for the calls that need one.
KERNEL call_work, CFI_DIRECT
        extern  entry_work
        DIRECT_FRAME
        jmp     entry_work
        CFI_END

KERNEL call_frame, CFI_DIRECT
        DIRECT_FRAME
        DISPATCH
        jmp     entry_work
        CFI_END

; The four user halves are one: the kernel half that is armed is a pointer's affair.
USER call_standard_call, call_nowork_call, call_service_call, call_bare_call
        PROBE   MP1
        call    [cpu_direct]
        PROBE   MP8
        ret
