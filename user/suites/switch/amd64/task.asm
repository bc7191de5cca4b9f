; task.asm - switches from one task to another and back, amd64: only by hand

FIXED equ 2                             ; clean flags
REGISTERS equ 15

bits 64
default rel
section .text

global task_hardware, task_hardware_second
task_hardware:
task_hardware_second:
        ret

; each instruction, register...
%macro each 2-*
%xdefine instruction %1
%rep %0 - 1
%rotate 1
        instruction %1
%endrep
%endmacro

; Saves all registers on the stack; in long mode segments need no change.
global task_software
task_software:
        pushfq
        each    push, rax, rcx, rdx, rbx, rbp, rsi, rdi, r8, r9, r10, r11, r12, r13, r14, r15
        mov     rax, [other_cr3]
        mov     cr3, rax
        xchg    rsp, [other_sp]
        each    pop, r15, r14, r13, r12, r11, r10, r9, r8, rdi, rsi, rbp, rbx, rdx, rcx, rax
        popfq
        ret

second: call    task_software
        jmp     second

; void task_software_prepare(uintptr_t cr3)
global task_software_prepare
task_software_prepare:
        mov     [other_cr3], rdi
        lea     rax, [stack_top - (REGISTERS + 2) * 8]
        mov     [other_sp], rax
        mov     qword [rax + REGISTERS * 8], FIXED
        lea     rcx, [second]
        mov     [rax + (REGISTERS + 1) * 8], rcx
        ret

section .bss
alignb 16
        resb    512
stack_top:
other_sp: resq  1
other_cr3: resq 1
section .note.GNU-stack noalloc noexec nowrite progbits
