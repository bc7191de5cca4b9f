; switch.asm - assembly that C calls, amd64: selectors, copies to and from programs, and an MSR
; that may not be there

%define COPY clean
%define ORIGIN user
%include "asm.inc"

        bits    64
        section .text progbits alloc exec nowrite align=16

; void selectors_load(const uint16_t each[4]) - ds es fs gs; one that is no longer valid becomes null
%macro LOAD_SELECTOR 2
        mov     ax, [rdi + %2]
        FIXUP   %%null
%%load: mov     %1, ax
        jmp     %%done
%%null: xor     eax, eax
        jmp     %%load
%%done:
%endmacro
global selectors_load
selectors_load:
        CFI_CALLED
        LOAD_SELECTOR ds, 0
        LOAD_SELECTOR es, 2
        LOAD_SELECTOR fs, 4
        LOAD_SELECTOR gs, 6
        ret

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

; size_t user_copy(void *to, const void *from, size_t count) - bytes left when a page is missing;
; words first: QEMU counts each round of a REP as an instruction
global user_copy
user_copy:
        CFI_CALLED
        mov     rcx, rdx
        shr     rcx, 3
        and     edx, WORD - 1
        STAC
        FIXUP   .words
        rep movsq
        mov     ecx, edx
        FIXUP   .out
        rep movsb
        jmp     .out
.words: lea     rcx, [rdx + rcx * WORD]
.out:   CLAC
        mov     rax, rcx
        ret
