; switch.asm - assembly for C: copies to and from programs, and access to an MSR that may not exist

%define COPY clean
%define ORIGIN user
%include "asm.inc"
%include "c.inc"

        bits    KERNEL_BITS
        section .text progbits alloc exec nowrite align=16

; call direct_nosys - target of a direct call that does not exist: its number is still in rax
extern missing_call
global direct_nosys
direct_nosys:
        CFI_CALLED
        CALL_LAST rax, missing_call

; uint32_t msr_try(uint32_t msr, uint32_t set) - sets bits of an MSR's lower half if it exists;
; 1 = done
global msr_try
msr_try:
        CFI_CALLED
        mov     ecx, ARGUMENT_1
        FIXUP   .none
        rdmsr
        or      eax, ARGUMENT_2
        FIXUP   .none
        wrmsr
        mov     eax, 1
        jmp     .out
.none:  xor     eax, eax
.out:   ret

; uint32_t msr_peek(uint32_t msr, uint64_t *value) - reads an MSR if it exists; 1 = done uint32_t
; pmc_peek(uint32_t counter, uint64_t *value) - the same for a performance counter
%macro PEEK 2
global %1
%1:
        CFI_CALLED
        mov     ecx, ARGUMENT_1
        FIXUP   .none
        %2
        LOAD_POINTER_2
        mov     [POINTER_2], eax
        mov     [POINTER_2 + 4], edx
        mov     eax, 1
        jmp     .out
.none:  xor     eax, eax
.out:   ret
%endmacro
        PEEK    msr_peek, rdmsr
        PEEK    pmc_peek, rdpmc

; size_t user_copy(void *to, const void *from, size_t count) - nonzero: a page is missing. REP
; starts slowly, so up to SMALL bytes are copied by moves, which may overlap. The count is in COUNT,
; of which COUNT_LOW is the lower half; SPARE is free.
SMALL   equ 8 * WORD

; MOVE register, offset - copies as many bytes as the register holds
%macro MOVE 2
        FIXUP   .failed
        mov     %1, [rsi + %2]
        FIXUP   .failed
        mov     [rdi + %2], %1
%endmacro

global user_copy
user_copy:
        CFI_CALLED
        COPY_BEGIN
        STAC
        cmp     COUNT, SMALL
        ja      .long
        cmp     COUNT_LOW, 2 * WORD
        jae     .words
        cmp     COUNT_LOW, WORD
        jae     .word
        COPY_HALF_A_WORD
        test    COUNT_LOW, COUNT_LOW
        jz      .done
        MOVE    al, 0
        MOVE    SPARE_BYTE, COUNT - 1
        cmp     COUNT_LOW, 3
        jb      .done
        MOVE    al, 1
        jmp     .done
.word:  MOVE    rax, 0
        MOVE    SPARE, COUNT - WORD
        jmp     .done
.long:  mov     SPARE, COUNT
        shr     rcx, ilog2(WORD)
        and     edx, WORD - 1
        FIXUP   .failed
        rep_movs
        mov     ecx, edx
        FIXUP   .failed
        rep movsb
        jmp     .done
.failed:
        mov     eax, 1
        jmp     .out
.words: MOVE    rax, 0
        MOVE    SPARE, WORD
        cmp     COUNT_LOW, 4 * WORD
        jbe     .last
        MOVE    rax, 2 * WORD
        MOVE    SPARE, 3 * WORD
        MOVE    rax, COUNT - 4 * WORD
        MOVE    SPARE, COUNT - 3 * WORD
.last:  MOVE    rax, COUNT - 2 * WORD
        MOVE    SPARE, COUNT - WORD
.done:  xor     eax, eax
.out:   CLAC
        COPY_END
        ret
