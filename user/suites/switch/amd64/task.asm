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

; Saves all registers on the stack; in long mode segments need no change.
global task_software
task_software:
        pushfq
        push    rax
        push    rcx
        push    rdx
        push    rbx
        push    rbp
        push    rsi
        push    rdi
        push    r8
        push    r9
        push    r10
        push    r11
        push    r12
        push    r13
        push    r14
        push    r15
        mov     rax, [other_cr3]
        mov     cr3, rax
        xchg    rsp, [other_sp]
        pop     r15
        pop     r14
        pop     r13
        pop     r12
        pop     r11
        pop     r10
        pop     r9
        pop     r8
        pop     rdi
        pop     rsi
        pop     rbp
        pop     rbx
        pop     rdx
        pop     rcx
        pop     rax
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
