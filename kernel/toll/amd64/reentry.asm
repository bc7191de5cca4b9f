; reentry.asm - #UD, and another #UD while its handler runs: does the first one's frame survive?
;
; On an IST stack every exception starts at the same place. A handler that stays there loses its
; frame to the next; one that leaves it first (ist.inc) does not. Both handlers here count the words
; of their frame that the inner exception changed, in reentry_changed. They repair them and return
; behind the program's UD2. All registers and flags are preserved.

%define COPY clean
%define ORIGIN user
%include "asm.inc"
%include "ist.inc"

extern from_program, trap_bad_stack_stay

UD_SIZE         equ 2
WORDS           equ 5                   ; rip cs rflags rsp ss

        section .bss
global reentry_changed
reentry_changed: resq 1
saved_ax:       resq 1
saved_cx:       resq 1
frame:          resq WORDS
inside:         resb 1

        bits    64
        section .exit progbits alloc exec nowrite align=16

; TAKE_ANOTHER - causes the second #UD; rsp points to the frame
%macro TAKE_ANOTHER 0
        mov     [saved_ax], rax
        mov     [saved_cx], rcx
%assign n 0
%rep WORDS
        mov     rax, [rsp + n * WORD]
        mov     [frame + n * WORD], rax
%assign n n + 1
%endrep
        mov     byte [inside], 1
        ud2
        mov     byte [inside], 0
        xor     ecx, ecx
%assign n 0
%rep WORDS
        mov     rax, [frame + n * WORD]
        cmp     rax, [rsp + n * WORD]
        mov     [rsp + n * WORD], rax
        setne   al
        movzx   eax, al
        add     ecx, eax
%assign n n + 1
%endrep
        mov     [reentry_changed], rcx
        add     qword [rsp], UD_SIZE
        mov     rax, [saved_ax]
        mov     rcx, [saved_cx]
        iretx
%endmacro

global reentry_stay, reentry_move
reentry_stay:
        CFI_EXCEPTION VECTOR_UD
        cmp     byte [inside], 0
        jne     inner
        TAKE_ANOTHER

reentry_move:
        CFI_EXCEPTION VECTOR_UD
        cmp     byte [inside], 0
        jne     inner
        IST_ENTER VECTOR_UD
        IST_MOVE
        POPS    rsi, rdi
        DROP    WORD
        TAKE_ANOTHER

inner:
        CFI_EXCEPTION VECTOR_UD
        add     qword [rsp], UD_SIZE
        iretx
