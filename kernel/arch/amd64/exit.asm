; exit.asm - the ways out that are not hot: pending work, a bad number, a bad stack, a trap's end
;
; Each is entered with rsp at a whole struct frame and leaves by IRETQ, which can load any frame.

%define FLAVOUR clean
%define ORIGIN user
%include "asm.inc"

extern cpu_trusted, work_do, process_refused, trap_dispatch, trap_bad_stack, program_states, program_states_end

        bits    64
        section .exit progbits alloc exec nowrite align=16

global entry_fault, entry_nosys, entry_work, trap_return
entry_fault:
        CFI_OPEN GATE
        CFI_FRAME FRAME_IP
        CLAC
        mov     qword [rsp + FRAME_AX], -EFAULT
        jmp     entry_work
entry_nosys:
        mov     qword [rsp + FRAME_AX], -ENOSYS
entry_work:
        mov     rdi, rsp
        call    work_do
trap_return:
        RESTORE_FRAME
trap_iret:
        FIXUP   entry_refused
        iretx

; The processor refused to leave for the program with what the program had given it.
global entry_refused
entry_refused:
        mov     rsp, [cpu_stack]
        call    process_refused         ; does not return

; SYSCALL from the mode that has no row: -ENOSYS, back the way it came. The return to the other
; width ends in that program's own fault.
global syscall_ignore
syscall_ignore:
        CFI_SYSCALL
        mov     rax, -ENOSYS
        o32 sysret
        CFI_END

; Every vector's stub, on its IST stack: error code (0 where the processor pushes none), rdi, the
; vector in edi.
%macro VECTOR 1
align 8
vector_%1:
        CFI_OPEN GATE
%if %1 != 8 && (%1 < 10 || %1 > 14) && %1 != 17 && %1 != 21 && %1 != 29 && %1 != 30
        CFI_FRAME 0
        push    0
%else
        CFI_FRAME WORD
%endif
        push    rdi
        mov     edi, %1
%if %1 == VECTOR_NMI || %1 == VECTOR_DB || %1 == VECTOR_MC || %1 == VECTOR_DF
        jmp     trap_any_stack
%else
        jmp     trap_move
%endif
        CFI_END
%endmacro

%assign n 0
%rep VECTORS
        VECTOR  n
%assign n n + 1
%endrep

IST_RDI         equ 1 * WORD            ; what lies on the IST stack above the saved rsi
IST_ERROR       equ 2 * WORD
IST_IP          equ 3 * WORD
IST_CS          equ 4 * WORD
IST_FLAGS       equ 5 * WORD
IST_SP          equ 6 * WORD
IST_SS          equ 7 * WORD

; from_program - CF = the interrupted code is a program's: CPL 3; or a trusted one's, with the
; instruction pointer in a program's half, or where an entry still or again uses the program's
; stack (the pairs in .program_states). Called with rsi saved on the IST stack; clobbers rsi.
from_program:
        CFI_CALLED
        test    byte [rsp + IST_CS + WORD], 3
        jnz     .yes
        cmp     byte [cpu_trusted], 0
        je      .out                    ; with CF = 0
        mov     rsi, [rsp + IST_IP + WORD]
        test    rsi, rsi
        js      .high
.yes:   stc
        jmp     .out
.high:  push    rax
        lea     rax, [rel program_states]
.next:  cmp     rax, program_states_end
        jae     .back                   ; with CF = 0
        cmp     rsi, [rax]
        jb      .other
        cmp     rsi, [rax + WORD]
        jb      .back                   ; with CF = 1
.other: add     rax, 2 * WORD
        jmp     .next
.back:  pop     rax
.out:   ret

        [section .program_states alloc noexec nowrite]
        dq      GATE_TRUSTED, GATE_TRUSTED + 2 * PAGE_SIZE
        __?SECT?__

; NMI, #DB and #MC may hit the first instructions of SYSCALL's kernel half, where rsp is the
; program's: from the kernel they stay on their own stacks, from a program they move.
trap_any_stack:
        CFI_OPEN GATE
        CFI_FRAME 2 * WORD
        push    rsi
        call    from_program
        pop     rsi
        jnc     trap_stay
        CFI_END

; Leaves the IST stack at once, so that the same vector may come again: to the process's kernel
; stack, or below the interrupted rsp of the kernel, which must then be a kernel stack's.
trap_move:
        CFI_OPEN GATE
        CFI_FRAME 2 * WORD
        cld
        CLAC
        push    rsi
        call    from_program
        mov     rsi, [cpu_stack]
        jc      .move
        sub     rsi, [rsp + IST_SP]
        cmp     rsi, STACK_SIZE - 1024
        ja      trap_bad_stack_stay
        mov     rsi, [rsp + IST_SP]
        and     rsi, -16
.move:  xchg    rsp, rsi
        CFI_FRAME_IN rsi, 3 * WORD
        push    qword [rsi + IST_SS]
        push    qword [rsi + IST_SP]
        push    qword [rsi + IST_FLAGS]
        push    qword [rsi + IST_CS]
        push    qword [rsi + IST_IP]
        push    qword [rsi + IST_ERROR]
        push    qword [rsi + IST_RDI]
        push    qword [rsi]
        CFI_FRAME 3 * WORD
        jmp     trap_save
        CFI_END

trap_stay:
        CFI_OPEN GATE
        CFI_FRAME 2 * WORD
        cld
        CLAC
        push    rsi
trap_save:
        PUSHES  rdx, rcx, rax, r8, r9, r10, r11, rbx, rbp, r12, r13, r14, r15
        mov     rsi, rsp
        call    trap_dispatch           ; (vector, frame); true = to a program
        test    al, al
        jz      trap_return
        jmp     entry_work
        CFI_END

trap_bad_stack_stay:
        CFI_OPEN GATE
        CFI_FRAME 3 * WORD
        PUSHES  rdx, rcx, rax, r8, r9, r10, r11, rbx, rbp, r12, r13, r14, r15
        mov     rsi, rsp
        call    trap_bad_stack          ; (vector, frame), does not return
        CFI_END

; void context_switch(void **save, void *load) - the callee-saved registers and the stack
global context_switch
context_switch:
        CFI_CALLED
        PUSHES  rbp, rbx, r12, r13, r14, r15
        mov     [rdi], rsp
        mov     rsp, rsi
        mov     eax, KERNEL_DS          ; an interrupt leaves SS null, and SYSRET to 32 bits keeps
        mov     ss, eax                 ; its attributes on AMD (APM 3, SYSRET)
        POPS    r15, r14, r13, r12, rbx, rbp
        ret

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

; size_t user_copy(void *to, const void *from, size_t count) - bytes left when a page is missing
global user_copy
user_copy:
        CFI_CALLED
        mov     rcx, rdx
        STAC
        FIXUP   .out
        rep movsb
.out:   CLAC
        mov     rax, rcx
        ret

section .rodata
global vector_table
vector_table:
%assign n 0
%rep VECTORS
        dq      vector_%[n]
%assign n n + 1
%endrep

section .bss nobits alloc noexec write align=4096
        resb    PAGE_SIZE               ; the guard page (mem/space.c unmaps it)
        resb    STACK_SIZE
global boot_stack_top
boot_stack_top:
