; function.asm - kernel functions that trusted programs call by name (program/export.h)
;
; Caller and callee are C, so nothing has to be saved. Only the stack is switched, as in call.asm,
; because an interrupt in kernel code must find the kernel's stack. Work that became pending is done
; on return.
;
;       arguments, result and registers as in C (amd64: registers; i386: the program's stack)

%include "asm.inc"

%ifidn COPY, clean
        section .entry progbits alloc exec nowrite align=64
global functions_start, functions_end
functions_start:

%macro FUNCTION 2
        extern  %1
KERNEL function_%1, CFI_CALLED_GATE
        PROGRAM_STACK
        FUNCTION_STACK %2
        call    %1
        FUNCTION_DROP %2
        jmp     %[COPY]_%[ORIGIN]_function_return
        CFI_END
%endmacro
%macro CFI_FUNCTION 0
        CFI_CALLED_GATE
        CFI_CFA_ON_TOP
%endmacro

; Shared by all: one way back needs few lines in the table of program states.
KERNEL function_return, CFI_FUNCTION
        cmp     byte [cpu_work], 0
        jne     .work
        pop     usp
        PROGRAM_STACK
        CFI_DEPTH WORD
        ret
.work:  pop     usp
        PROGRAM_STACK
        CFI_DEPTH WORD
        DIRECT_STACK
        extern  clean_trusted_call_work
        jmp     clean_trusted_call_work

%include "export.inc"

functions_end:
%endif
