; exit.asm - the ways out that are not hot: pending work, a bad number, a bad stack, a trap's end
;
; Each is entered with rsp at a whole struct frame and leaves by IRETQ, which can load any frame.

%define FLAVOUR clean
%define ORIGIN user
%include "asm.inc"

extern work_do, process_refused

        bits    64
        section .exit progbits alloc exec nowrite align=16

global entry_fault, entry_nosys, entry_work, trap_return
entry_fault:
        CFI_OPEN GATE
        CFI_FRAME FRAME_IP
        CLAC
        mov     qword [rsp + FRAME_AX], -EFAULT
        jmp     entry_work
entry_nosys:
        mov     qword [rsp + FRAME_AX], -ENOSYS
entry_work:
        mov     rdi, rsp
        call    work_do
trap_return:
        RESTORE_FRAME
trap_iret:
        FIXUP   entry_refused
        iretx

; The processor refused to leave for the program with what the program had given it.
global entry_refused
entry_refused:
        mov     rsp, [cpu_stack]
        call    process_refused         ; does not return

; SYSCALL from the mode that has no row: -ENOSYS, back the way it came. The return to the other
; width ends in that program's own fault.
global syscall_ignore
syscall_ignore:
        CFI_SYSCALL
        mov     rax, -ENOSYS
        o32 sysret
        CFI_END
