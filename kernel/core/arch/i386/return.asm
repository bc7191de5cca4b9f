; return.asm - to a program at CPL 0: IRET at the same privilege pops no esp
;
; Entered with the stack pointer at a program's whole struct frame. eip, cs and eflags go below its
; stack pointer while the stack is still the kernel's, so that a fault there comes in good order.

%define COPY clean
%define ORIGIN trusted
%include "asm.inc"

extern trap_return, trap_stack_fault

        bits    32
        section .exit progbits alloc exec nowrite align=16

global program_return_trusted
program_return_trusted:
        CFI_OPEN GATE
        CFI_FRAME FRAME_IP
        test    dword [esp + FRAME_FLAGS], RFLAGS_VM
        jnz     trap_return             ; to virtual-8086 mode, where CS is any number
        FRAME_TO_PROGRAM_STACK 0, 1, 2
        RESTORE_BUT none
        mov     esp, [esp + FRAME_SS - FRAME_NUMBER]
        PROGRAM_STACK
        CFI_ON_PROGRAM_STACK 0
        iretx

; The stack cannot take the three words: #PF by writing, as if the program had pushed them.
global program_stack_lost
program_stack_lost:
        CFI_OPEN GATE
        CFI_FRAME FRAME_IP
        CALL_WITH_FRAME trap_stack_fault
        jmp     entry_work
        CFI_END
