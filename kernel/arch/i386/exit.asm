; exit.asm - the ways out that are not hot: pending work, a bad number, a bad stack, a trap's end
;
; Each is entered with esp at a whole struct frame and leaves by IRET, which can load any frame.

%define FLAVOUR clean
%define ORIGIN user
%include "asm.inc"

extern work_do, process_refused

        bits    32
        section .exit progbits alloc exec nowrite align=16

global entry_fault, entry_nosys, entry_work, trap_return
entry_fault:
        CFI_OPEN GATE
        CFI_FRAME FRAME_IP
        CLAC
        mov     dword [esp + FRAME_AX], -EFAULT
        jmp     entry_work
entry_nosys:
        mov     dword [esp + FRAME_AX], -ENOSYS
entry_work:
        push    esp
        call    work_do
        DROP    WORD
trap_return:
        RESTORE_FRAME
trap_iret:
        FIXUP   entry_refused
        iretx

; The processor refused to leave for the program with what the program had given it.
global entry_refused
entry_refused:
        mov     esp, [ss:cpu_stack]
        call    process_refused         ; does not return
