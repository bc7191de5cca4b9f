; vectors.asm - where exceptions and interrupts come in, i386
;
; The processor pushes eflags cs eip, and below them ss esp if it came from CPL 3; for some vectors
; an error code on top. #DF, NMI and #DB are tasks and have no stub in use.

%define FLAVOUR clean
%define ORIGIN user
%include "asm.inc"

extern trap_dispatch, entry_work, trap_return

        bits    32
        section .exit progbits alloc exec nowrite align=16

; The unwinder takes every exception for a program's: from the kernel the processor pushes no esp
; and ss, and gdb shows a stack pointer that is wrong.
;
; Every vector's stub: error code (0 where the processor pushes none), eax, the vector in eax.
%macro VECTOR 1
align 8
vector_%1:
        CFI_EXCEPTION %1
%if !HAS_ERROR_CODE(%1)
        push    0
%endif
        push    eax
        mov     eax, %1
        jmp     trap_enter
        CFI_END
%endmacro

%include "vectors.inc"

trap_enter:
        CFI_OPEN GATE
        CFI_FRAME 2 * WORD
        cld
        CLAC
        PUSHES  ecx, edx, ebx, 0, ebp, esi, edi ; as PUSHAD; POPAD passes esp over
        PUSHES  ds, es, KERNEL_DS, KERNEL_DS
        POPS    ds, es
global trap_entered
trap_entered:
        mov     ecx, esp
        PUSHES  ecx, eax
        call    trap_dispatch           ; (vector, frame); true = to a program
        DROP    2 * WORD
        test    al, al
        jnz     entry_work
        jmp     trap_return
        CFI_END

; The three tasks (descriptor.c): entered by a task gate on stacks of their own, whatever the
; interrupted code had in esp, and left by IRET, which resumes the other task.
extern task_nmi, task_debug, task_double_fault
global nmi_task, debug_task, double_fault_task
nmi_task:
        call    task_nmi
        iretd
        jmp     nmi_task
debug_task:
        call    task_debug
        iretd
        jmp     debug_task
double_fault_task:
        call    task_double_fault
        add     esp, WORD               ; the error code
        iretd
        jmp     double_fault_task
