; switch.asm - assembly that C calls, amd64: copies to and from programs, and an MSR
; that may not be there

%define COPY clean
%define ORIGIN user
%include "asm.inc"

        bits    64
        section .text progbits alloc exec nowrite align=16

; call direct_nosys - what a direct call asks for and is not there: its number is still in rax
extern missing_call
global direct_nosys
direct_nosys:
        CFI_CALLED
        mov     rdi, rax
        jmp     missing_call
        CFI_END

; uint32_t msr_try(uint32_t msr, uint32_t set) - sets bits of an MSR's lower half if it exists;
; 1 = done
global msr_try
msr_try:
        CFI_CALLED
        mov     ecx, edi
        FIXUP   .none
        rdmsr
        or      eax, esi
        FIXUP   .none
        wrmsr
        mov     eax, 1
        jmp     .out
.none:  xor     eax, eax
.out:   ret

; uint32_t msr_peek(uint32_t msr, uint64_t *value) - reads an MSR if it exists; 1 = done
; uint32_t pmc_peek(uint32_t counter, uint64_t *value) - the same of a performance counter
%macro PEEK 2
global %1
%1:
        CFI_CALLED
        mov     ecx, edi
        FIXUP   .none
        %2
        mov     [rsi], eax
        mov     [rsi + 4], edx
        mov     eax, 1
        jmp     .out
.none:  xor     eax, eax
.out:   ret
%endmacro
        PEEK    msr_peek, rdmsr
        PEEK    pmc_peek, rdpmc

; size_t user_copy(void *to, const void *from, size_t count) - not 0: a page is missing. A REP begins
; slowly: up to SMALL bytes go by moves, which may overlap.
SMALL   equ 64

; MOVE register, offset - as much as the register holds
%macro MOVE 2
        FIXUP   .failed
        mov     %1, [rsi + %2]
        FIXUP   .failed
        mov     [rdi + %2], %1
%endmacro

global user_copy
user_copy:
        CFI_CALLED
        STAC
        cmp     rdx, SMALL
        ja      .long
        cmp     edx, 16
        jae     .words
        cmp     edx, 8
        jae     .word
        cmp     edx, 4
        jae     .half
        test    edx, edx
        jz      .done
        MOVE    al, 0
        MOVE    cl, rdx - 1
        cmp     edx, 3
        jb      .done
        MOVE    al, 1
        jmp     .done
.half:  MOVE    eax, 0
        MOVE    ecx, rdx - 4
        jmp     .done
.word:  MOVE    rax, 0
        MOVE    rcx, rdx - 8
        jmp     .done
.long:  mov     rcx, rdx
        shr     rcx, 3
        and     edx, WORD - 1
        FIXUP   .failed
        rep movsq
        mov     ecx, edx
        FIXUP   .failed
        rep movsb
        jmp     .done
.failed:
        mov     eax, 1
        jmp     .out
.words: MOVE    rax, 0
        MOVE    rcx, 8
        cmp     edx, 32
        jbe     .last
        MOVE    rax, 16
        MOVE    rcx, 24
        MOVE    rax, rdx - 32
        MOVE    rcx, rdx - 24
.last:  MOVE    rax, rdx - 16
        MOVE    rcx, rdx - 8
.done:  xor     eax, eax
.out:   CLAC
        ret
