; task.asm - switches from one task to another and back, i386

TASK_SELECTOR equ 0xd8
FIXED equ 2                             ; clean flags

bits 32
section .text

; The far call saves all registers in TR's TSS, and sets NT and a link in the new one; IRET returns
; along the link. The second task resumes behind its IRET the next time.
global task_hardware, task_hardware_second
task_hardware:
        call    TASK_SELECTOR:0
        ret
task_hardware_second:
        iretd
        jmp     task_hardware_second

; The same by hand: the contents of a TSS go to the stack.
global task_software
task_software:
        pushfd
        pushad
        push    ds
        push    es
        push    fs
        push    gs
        mov     eax, [other_cr3]
        mov     cr3, eax
        xchg    esp, [other_sp]
        pop     gs
        pop     fs
        pop     es
        pop     ds
        popad
        popfd
        ret

second: call    task_software
        jmp     second

; void task_software_prepare(uintptr_t cr3)
global task_software_prepare
task_software_prepare:
        mov     eax, [esp + 4]
        mov     [other_cr3], eax
        mov     ecx, esp
        mov     esp, stack_top
        push    dword second
        push    dword FIXED
        pushad
        push    ds
        push    es
        push    fs
        push    gs
        mov     [other_sp], esp
        mov     esp, ecx
        ret

section .bss
alignb 16
        resb    512
stack_top:
other_sp: resd  1
other_cr3: resd 1
section .note.GNU-stack noalloc noexec nowrite progbits
