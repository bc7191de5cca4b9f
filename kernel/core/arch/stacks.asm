; stacks.asm - the change of stacks at a switch to another thread, and the parts behind it (part.def)
;
; A part, with its own RET, is written over that of stacks_switch. rax, rcx, rdx, flags are free.

%define COPY clean
%define ORIGIN user
%define SET switched
%include "asm.inc"
%include "c.inc"

; stacks_switch - saves the stack pointer at [rax], the kernel_sp of one thread, and loads that of
; another from [rdx]. In front of a kernel_sp is the thread's memory (thread.h).
        bits    KERNEL_BITS
        section .text progbits alloc exec nowrite align=PART_ROOM
global stacks_switch, stacks_part, stacks_parts
stacks_switch:
        CFI_CALLED
        mov     [rax], rsp
        mov     rsp, [rdx]
        RELOAD_SS
stacks_part:
        ret
        times PART_ROOM - 1 int3

%macro PARTS_SWITCHED 1-*
        align   PART_ROOM, int3
stacks_parts:
        ret
%rep %0
        align   PART_ROOM, int3
        %1_switched
        ret
%rotate 1
%endrep
        times PART_ROOM * (%0 + 1) - ($ - stacks_parts) int3 ; an error if one has no room
%endmacro
        PARTS_SWITCHED PARTS
        section .rodata
kernel_ss: dw   KERNEL_DS
