; syscall_lazy.asm - SYSCALL without a frame until somebody needs one
;
; Saves only the registers that C may change, so 9 words instead of 21. lazy_calls (set.c) has one
; of three targets for a call: the routine itself, if it neither uses a frame nor can be repeated;
; `numbered`, which keeps the number for a signal that repeats the call; `whole`, if it uses a frame.
;
;       rax     call number             rax     result
;       arguments as in abi.inc          rcx, r11 clobbered

%include "asm.inc"

extern lazy_calls, clean_direct_calls

; CFI_LAZY - rip is the third word from the top of the kernel's stack
%macro CFI_LAZY 0
        CFI_CFA_ON_TOP 0
        CFI_LINE CFI_LAZY_IP
%endmacro
%macro CFI_LAZY_IP 0
        db      DW_CFA_expression, DWARF_IP, WORD + 4, DW_OP_addr
        ADDRESS cpu_stack
        db      DW_OP_deref, DW_OP_lit0 + 3 * WORD, DW_OP_minus
%endmacro
%macro CFI_LAZY_OPEN 0
        CFI_OPEN GATE
        CFI_LAZY
%endmacro

; UNDO - rsp and all registers but rax are as SYSCALL left them
%macro UNDO 0
        POPS    rdi, rsi, rdx, r8, r9, r10, rcx
        CFI_IP_IN rcx
        POPS    r11, rsp
        CFI_DEPTH 0
        CFI_LINE db DW_CFA_restore_extended, DWARF_SP
%endmacro

KERNEL syscall_lazy_entry, CFI_SYSCALL
        PROBE   MP2
        mov     [cpu_user_sp], rsp
        CFI_CFA_SAVED
        mov     rsp, [cpu_stack]
        push    qword [cpu_user_sp]
        CFI_CFA_ON_TOP 0
        PUSHES  r11, rcx
        CFI_LAZY
        PUSHES  r10, r9, r8, rdx, rsi, rdi
        cmp     rax, CALLS
        jae     %[COPY]_user_lazy_whole.beyond
        mov     rcx, r10
        PROBE   MP3
        call    [lazy_calls + rax * WORD]
        PROBE   MP6
        cmp     byte [cpu_work], 0
        jne     %[COPY]_user_lazy_work
        UNDO
        PROBE   MP7
        sysretx

; The return address's word takes the number.
KERNEL lazy_numbered, CFI_LAZY_OPEN
        mov     [rsp], rax
        call    [clean_direct_calls + rax * WORD]
        cmp     byte [cpu_work], 0
        jne     %[COPY]_user_lazy_work.numbered
        DROP    WORD
        UNDO
        sysretx

; Builds the frame after the call. Interrupts are off.
KERNEL lazy_work, CFI_LAZY_OPEN
        push    rax                     ; any number: the call is not repeated
.numbered:
        pop     qword [lazy_number]
        UNDO
        FRAME_FROM_SYSCALL
        SAVE_FRAME
        mov     rcx, [lazy_number]
        mov     [rsp + FRAME_NUMBER], rcx
        jmp     entry_work
        CFI_END

; Before the call: begins again, with syscall/standard.
KERNEL lazy_whole, CFI_LAZY_OPEN
        DROP    WORD
.beyond:
        UNDO
        jmp     %[COPY]_user_syscall_standard_entry
        CFI_END
extern %[COPY]_user_syscall_standard_entry

USER syscall_lazy_call
        PROBE   MP1
        SYSCALL_SAVE
        syscall
        SYSCALL_RESTORE
        PROBE   MP8
        ret

        section .bss nobits alloc noexec write align=8
lazy_number: resq 1
