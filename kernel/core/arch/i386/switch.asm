; switch.asm - assembly that C calls, i386: copies to and from programs, and an MSR
; that may not be there

%define COPY clean
%define ORIGIN user
%include "asm.inc"

        bits    32
        section .text progbits alloc exec nowrite align=16

; call direct_nosys - what a direct call asks for and is not there: its number is still in eax
extern missing_call
global direct_nosys
direct_nosys:
        CFI_CALLED
        push    eax
        call    missing_call
        DROP    WORD
        ret

; uint32_t msr_try(uint32_t msr, uint32_t set) - sets bits of an MSR's lower half if it exists;
; 1 = done
global msr_try
msr_try:
        CFI_CALLED
        mov     ecx, [esp + 4]
        FIXUP   .none
        rdmsr
        or      eax, [esp + 8]
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
        mov     ecx, [esp + 4]
        FIXUP   .none
        %2
        mov     ecx, [esp + 8]
        mov     [ecx], eax
        mov     [ecx + 4], edx
        mov     eax, 1
        jmp     .out
.none:  xor     eax, eax
.out:   ret
%endmacro
        PEEK    msr_peek, rdmsr
        PEEK    pmc_peek, rdpmc

; size_t user_copy(void *to, const void *from, size_t count) - not 0: a page is missing. A REP begins
; slowly: up to SMALL bytes go by moves, which may overlap.
SMALL   equ 32

; MOVE register, offset - as much as the register holds
%macro MOVE 2
        FIXUP   .failed
        mov     %1, [esi + %2]
        FIXUP   .failed
        mov     [edi + %2], %1
%endmacro

global user_copy
user_copy:
        CFI_CALLED
        PUSHES  esi, edi
        mov     edi, [esp + 12]
        mov     esi, [esp + 16]
        mov     ecx, [esp + 20]
        STAC
        cmp     ecx, SMALL
        ja      .long
        cmp     ecx, 8
        jae     .words
        cmp     ecx, 4
        jae     .word
        test    ecx, ecx
        jz      .done
        MOVE    al, 0
        MOVE    dl, ecx - 1
        cmp     ecx, 3
        jb      .done
        MOVE    al, 1
        jmp     .done
.word:  MOVE    eax, 0
        MOVE    edx, ecx - 4
        jmp     .done
.long:  mov     edx, ecx
        shr     ecx, 2
        and     edx, WORD - 1
        FIXUP   .failed
        rep movsd
        mov     ecx, edx
        FIXUP   .failed
        rep movsb
        jmp     .done
.failed:
        mov     eax, 1
        jmp     .out
.words: MOVE    eax, 0
        MOVE    edx, 4
        cmp     ecx, 16
        jbe     .last
        MOVE    eax, 8
        MOVE    edx, 12
        MOVE    eax, ecx - 16
        MOVE    edx, ecx - 12
.last:  MOVE    eax, ecx - 8
        MOVE    edx, ecx - 4
.done:  xor     eax, eax
.out:   CLAC
        POPS    edi, esi
        ret
