; site_any.asm - sites with the number in a register: each is a library function that makes all of
; its calls, or many (forms in site.c)
;
; The displaced instructions are executed here, then the number chooses the stub. A site has a
; record for each number, so its stubs are those of entry/site_standard.asm. A number without a
; stub, because its call needs the program's frame or does not exist, goes to the SYSCALL in the
; jump's last two bytes. Displaced instructions may be executed twice: an interrupt moves the
; program back to the jump (site_left).

%define COPY clean
%define ORIGIN trusted
%include "asm.inc"

        bits    64
        section .exit progbits alloc exec nowrite align=ANY_SITE
        align   ANY_SITE
global any_sites
any_sites:
%assign n 0
; ANY instruction... - the displaced instructions of the next form
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
        ANY     {mov r10, rcx}
        align   ANY_SITE                ; the first stub of site_standard.asm may follow
