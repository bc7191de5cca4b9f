; call.asm - a function call: what is left of a system call when the program runs at CPL 0
;
; CALL pushes the return address on the program's stack and changes nothing else. The kernel half is
; a C callee: the service routine itself preserves C's callee-saved registers, so the standard row
; saves only the others that the system-call ABI promises. It switches to the kernel's stack, which
; a service routine may need, and does not change IF. No frame is built, unless work is pending or
; the call needs one (FRAME_CALL in sys.def): then one is built, and IRET leaves.
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

; Target of the pointer while only another row is armed (select.c).
KERNEL call_shut, CFI_CALLED_GATE
        PROGRAM_STACK
        mov     rax, -ENOSYS
        ret

; Builds the frame of an INT: for pending work, and for calls that need a frame.
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

; All four user halves are the same code: a pointer selects the kernel half.
USER call_standard_call, call_nowork_call, call_service_call, call_bare_call
        PROBE   MP1
        call    [cpu_direct]
        PROBE   MP8
        ret
