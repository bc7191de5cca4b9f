; exit.asm - the slow exits: pending work, a bad number, a bad stack, the end of a trap
;
; Each is entered with the stack pointer at a full struct frame. Each leaves by IRET, which can load
; any frame.

%define COPY clean
%define ORIGIN user
global entry_refused, entry_work        ; declared before asm.inc, where they are extern
%include "asm.inc"

extern call_beyond, work_do, process_refused, process_jumped_wild, posture_disarm_alone

INT_SIZE equ 2                          ; size of INT n

; CLEAN_FLAGS - for an entry that has not cleaned them yet
%macro CLEAN_FLAGS 0
        push    RFLAGS_FIXED
        popfx
%endmacro

        bits    KERNEL_BITS
        section .exit progbits alloc exec nowrite align=16

global entry_fault, entry_nosys, trap_return, program_return
entry_fault:
        CFI_OPEN GATE
        CFI_FRAME FRAME_IP
        CLEAN_FLAGS
        mov     NATIVE [rsp + FRAME_AX], -EFAULT
        jmp     entry_work
entry_nosys:
        CLEAN_FLAGS
        CALL_WITH_FRAME call_beyond
entry_work:
        CALL_WITH_FRAME work_do
program_return:                         ; the frame is a program's
        TO_PROGRAM
trap_return:
        RESTORE_FRAME
        iretx

; void frame_leave(void) - from any depth of a call that has rebuilt the caller's frame
global frame_leave
frame_leave:
        mov     rsp, [KERNEL_SEGMENT cpu_stack]
global frame_leave_on
frame_leave_on:
        sub     rsp, FRAME_SIZE
        cmp     byte [KERNEL_SEGMENT cpu_work], 0
        jne     entry_work
        jmp     program_return

; INT 80h while only one row is armed (entry/select.c): disarms it and repeats the INT.
global entry_again
entry_again:
        CFI_INTERRUPT
        cld
        CLAC
        SAVE_FRAME
        sub     NATIVE [rsp + FRAME_IP], INT_SIZE
        call    posture_disarm_alone
        jmp     trap_return
        CFI_END

; END name, function - calls C that does not return; from any stack, with any flags and segments
%macro END 2
global %1
%1:
        mov     rsp, [KERNEL_SEGMENT cpu_stack]
        push    RFLAGS_FIXED
        popfx
        CLEAN_SEGMENTS
        call    %2
%endmacro

; The processor refused the program's values on the way out.
END entry_refused, process_refused

; void entry_jumped_wild(void) - entered on the program's stack
END entry_jumped_wild, process_jumped_wild
