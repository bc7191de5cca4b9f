; stack.asm - the boot stack, from which suites are run, too

%include "const.inc"

section .bss nobits alloc noexec write align=4096
        resb    PAGE_SIZE               ; the guard page (mem/space.c unmaps it)
        resb    STACK_SIZE
global boot_stack_top
boot_stack_top:
