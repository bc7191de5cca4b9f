; return.asm - to a program at CPL 0: IRET to the same privilege pops no esp
;
; Entered with the stack pointer at a program's full struct frame. eip, cs and eflags are copied
; below its stack pointer while the kernel's stack is in use, so a fault there is an ordinary one.

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
        jnz     trap_return             ; virtual-8086 mode, where CS is any number
        FRAME_TO_PROGRAM_STACK 0, 1, 2
        RESTORE_BUT none
        mov     esp, [esp + FRAME_SS - FRAME_NUMBER]
        PROGRAM_STACK
        CFI_ON_PROGRAM_STACK 0
        iretx

; The stack cannot take the three words: raises the #PF of a push by the program.
global program_stack_lost
program_stack_lost:
        CFI_OPEN GATE
        CFI_FRAME FRAME_IP
        CALL_WITH_FRAME trap_stack_fault
        jmp     entry_work
        CFI_END
