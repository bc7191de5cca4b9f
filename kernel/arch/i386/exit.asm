; exit.asm - the ways out that are not hot: pending work, a bad number, a bad stack, a trap's end
;
; Each is entered with esp at a whole struct frame and leaves by IRET, which can load any frame.

%define FLAVOUR clean
%define ORIGIN user
%include "asm.inc"

extern work_do, process_refused, trap_dispatch

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

; The unwinder takes every exception for a program's: from the kernel the processor pushes no esp
; and ss, and gdb shows a stack pointer that is wrong.
;
; Every vector's stub: error code (0 where the processor pushes none), eax, the vector in eax.
%macro VECTOR 1
align 8
vector_%1:
        CFI_OPEN GATE
%if %1 != 8 && (%1 < 10 || %1 > 14) && %1 != 17 && %1 != 21 && %1 != 29 && %1 != 30
        CFI_FRAME 0
        push    0
%else
        CFI_FRAME WORD
%endif
        push    eax
        mov     eax, %1
        jmp     trap_enter
        CFI_END
%endmacro

%assign n 0
%rep VECTORS
        VECTOR  n
%assign n n + 1
%endrep

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

; void context_switch(void **save, void *load) - the callee-saved registers and the stack
global context_switch
context_switch:
        CFI_CALLED
        mov     eax, [esp + 4]
        mov     edx, [esp + 8]
        PUSHES  ebp, ebx, esi, edi
        mov     [eax], esp
        mov     esp, edx
        POPS    edi, esi, ebx, ebp
        ret

; uint32_t msr_try(uint32_t msr, uint32_t set) - sets bits of an MSR's lower half if it exists;
; 1 = done
global msr_try
msr_try:
        CFI_CALLED
        mov     ecx, [esp + 4]
        FIXUP   .none
        rdmsr
        or      eax, [esp + 8]
        FIXUP   .none
        wrmsr
        mov     eax, 1
        jmp     .out
.none:  xor     eax, eax
.out:   ret

; size_t user_copy(void *to, const void *from, size_t count) - bytes left when a page is missing
global user_copy
user_copy:
        CFI_CALLED
        PUSHES  esi, edi
        mov     edi, [esp + 12]
        mov     esi, [esp + 16]
        mov     ecx, [esp + 20]
        STAC
        FIXUP   .out
        rep movsb
.out:   CLAC
        mov     eax, ecx
        POPS    edi, esi
        ret

section .rodata
global vector_table
vector_table:
%assign n 0
%rep VECTORS
        dd      vector_%[n]
%assign n n + 1
%endrep

section .bss nobits alloc noexec write align=4096
        resb    PAGE_SIZE               ; the guard page (mem/space.c unmaps it)
        resb    STACK_SIZE
global boot_stack_top
boot_stack_top:
