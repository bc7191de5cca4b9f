; stack.asm - the stack that the kernel boots on, and runs suites from

%include "const.inc"

section .bss nobits alloc noexec write align=4096
        resb    PAGE_SIZE               ; the guard page (mem/space.c unmaps it)
        resb    STACK_SIZE
global boot_stack_top
boot_stack_top:
