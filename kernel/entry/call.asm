; call.asm - a function call: what is left of a system call when the program runs at CPL 0
;
; CALL pushes the return address on the program's stack and changes nothing else. The kernel half is
; C's callee: rbx, rbp, r12 to r15 are kept by the service routine itself, so the standard row
; saves only what the system-call ABI promises beyond that. It changes to the kernel's stack, which
; a service routine may need, and leaves interrupts as they are. No frame is built, unless work is
; pending: then it is made up, and the way out is IRET's. Calls that need a frame are refused
; (proc/sys.def).
;
;       rax     call number             rax     result
;       arguments as in world.inc       rcx, r11 and the arithmetic flags clobbered; DF cleared

%include "asm.inc"

%macro DIRECT_CALL 0
        extern  %[FLAVOUR]_direct_calls, entry_work
        PROGRAM_STACK
        PROBE   MP2
        mov     r11, rsp
        CFI_CFA_IN r11
        mov     rsp, [cpu_stack]
        KERNEL_STACK
        cld
        push    r11
        PUSHES  rdi, rsi, rdx, r8, r9, r10
        cmp     rax, CALLS
        jae     .nosys
        mov     rcx, r10
        PROBE   MP3
        call    [%[FLAVOUR]_direct_calls + rax * WORD]
        PROBE   MP6
%endmacro

%macro DIRECT_RETURN 0
        POPS    r10, r9, r8, rdx, rsi, rdi
        PROBE   MP7
        pop     rsp
        PROGRAM_STACK
        CFI_DEPTH WORD
        ret
%endmacro

KERNEL call_standard_entry, CFI_CALLED
        DIRECT_CALL
.back:  cmp     byte [cpu_work], 0
        jne     .work
        DIRECT_RETURN
.nosys: mov     rax, -ENOSYS
        jmp     .back

; the frame that INT would have made, for entry_work
.work:  cli
        POPS    r10, r9, r8, rdx, rsi, rdi, r11
        push    KERNEL_DS
        lea     rcx, [r11 + WORD]
        push    rcx
        pushfq
        or      qword [rsp], RFLAGS_IF
        push    KERNEL_CS
        push    qword [r11]
        SAVE_FRAME
        mov     qword [rsp + FRAME_NUMBER], NO_CALL
        jmp     entry_work

KERNEL call_nowork_entry, CFI_CALLED
        DIRECT_CALL
.back:  DIRECT_RETURN
.nosys: mov     rax, -ENOSYS
        jmp     .back

KERNEL call_service_entry, CFI_CALLED
        PROGRAM_STACK
        PROBE   MP2
        PROBE   MP3
        CALL_SERVICE_HERE
        PROBE   MP6
        PROBE   MP7
        ret

KERNEL call_bare_entry, CFI_CALLED
        PROGRAM_STACK
        PROBES_ALL
        ret

; The four user halves are one: the kernel half that is armed is a pointer's affair.
USER call_standard_call, call_nowork_call, call_service_call, call_bare_call
        PROBE   MP1
        call    [cpu_direct]
        PROBE   MP8
        ret
