; start.asm - a program's start, and its calls into the kernel, i386
;
; System calls as on Linux: eax number and result; ebx ecx edx esi edi ebp arguments.

%include "native.inc"
%include "cfi.inc"

section .text

extern main

global _start
_start:
        xor     ebp, ebp
        mov     eax, [esp]              ; argc
        lea     edx, [esp + 4]          ; argv
        lea     ecx, [edx + eax * 4 + 4] ; envp
        and     esp, -16
        sub     esp, 4
        push    ecx
        push    edx
        push    eax
        call    main
        mov     ebx, eax
        mov     eax, 252                ; exit_group
        int     0x80
        hlt

; long system_call(long number, long a, long b, long c, long d, long e, long f)
; long toll_call(...) - the same by INT 80h, whatever rows are armed
global system_call, toll_call
system_call:
toll_call:
        CFI_CALLED
        SAVE_CALLERS
        mov     eax, [esp + 20]
        mov     ebx, [esp + 24]
        mov     ecx, [esp + 28]
        mov     edx, [esp + 32]
        mov     esi, [esp + 36]
        mov     edi, [esp + 40]
        mov     ebp, [esp + 44]
        int     0x80
        RESTORE_CALLERS
        ret

; A signal handler returns here (SA_RESTORER).
global signal_return
signal_return:
        mov     eax, RT_SIGRETURN
        int     0x80

; long toll_hand(long tid, long word)
; long toll_hand_by(const void *half, long tid, long word) - through a user half of the gate page
global toll_hand, toll_hand_by
toll_hand_by:
        push    ebx
        mov     ebx, [esp + 12]
        mov     ecx, [esp + 16]
        mov     eax, 510
        call    [esp + 8]
        pop     ebx
        ret
toll_hand:
        push    ebx
        mov     ebx, [esp + 8]
        mov     ecx, [esp + 12]
        mov     eax, 510
        int     0x80
        pop     ebx
        ret

; long gate_call(const void *half, long number) - through a user half of the gate page
global gate_call
gate_call:
        CFI_CALLED
        SAVE_CALLERS
        mov     eax, [esp + 24]
        call    [esp + 20]
        RESTORE_CALLERS
        ret

; void gate_batch(const void *half, long number, unsigned long rounds)
global gate_batch
gate_batch:
        CFI_CALLED
        SAVE_CALLERS
        mov     esi, [esp + 20]
        mov     ebx, [esp + 24]
        mov     edi, [esp + 28]
.next:  mov     eax, ebx
        call    esi
        dec     edi
        jnz     .next
        RESTORE_CALLERS
        ret

; long thread_start(long flags, void *stack_top, int *tid, void (*run)(void)) - clone() with a stack
; of its own, on which run() begins; it must not return
global thread_start
thread_start:
        SAVE_CALLERS
        mov     ebx, [esp + 20]
        mov     ecx, [esp + 24]
        mov     edx, [esp + 28]
        mov     edi, edx                ; CLEARTID
        mov     ebp, [esp + 32]
        sub     ecx, 4                  ; as after a call instruction
        xor     esi, esi
        mov     eax, 120
        int     0x80
        test    eax, eax
        jz      .child
        RESTORE_CALLERS
        ret
.child: mov     eax, ebp
        xor     ebp, ebp
        jmp     eax
section .note.GNU-stack noalloc noexec nowrite progbits
