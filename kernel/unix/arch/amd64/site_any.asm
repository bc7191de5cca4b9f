; site_any.asm - sites whose number comes in a register: each the function of a library by which it
; makes all its calls, or many (forms in site.c)
;
; The jump has displaced instructions. They are here, and then the number chooses the stub: a site
; has a record for each number, so that its stubs are those of entry/site_standard.asm. A number that
; no stub is for, since its call needs the program's frame or is not here, goes to the SYSCALL that
; the jump's last two bytes are. What is displaced may be done twice: whoever interrupts it finds the
; program at the jump (site_left).

%define COPY clean
%define ORIGIN trusted
%include "asm.inc"

        bits    64
        section .exit progbits alloc exec nowrite align=ANY_SITE
        align   ANY_SITE
global any_sites
any_sites:
%assign n 0
; ANY instruction... - of the next form: what is displaced
%macro ANY 1-*
        align   ANY_SITE
%assign PAGE ANY_AT + n * PAGE_SIZE
        CFI_SITE PAGE + ANY_BACK
%rep %0
        %1
%rotate 1
%endrep
        cmp     rax, ANY_CALLS
        jae     %%syscall
        jmp     [PAGE + rax * WORD]
%%syscall:
        jmp     [PAGE + ANY_SYSCALL]
        CFI_END
%assign n n + 1
%endmacro

        ANY     {mov rax, [rsp + 16]}
        ANY     {mov [rsp + 8], r11}
        ANY     {mov r9, [rsp + 8]}, {mov rdx, rcx}
        ANY     {mov rsi, rcx}, {mov rdi, rbx}
        ANY     {movzx eax, ax}, {mov r10, rcx}
