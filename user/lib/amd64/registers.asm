; registers.asm - calls a user half with every register chosen, and reads every register after
;
; void registers_call(const void *half, struct registers *r)       user/lib/registers.h
; long segments_call(const void *half, long number, unsigned selector)
;       with ds es fs gs loaded (bit n of the result: the nth of them came back changed)
; void fpu_call(const void *half, long number, void *before, void *after)
;       with an x87 and an SSE state of patterns, kept in two FXSAVE areas

bits 64
default rel
section .bss align=16
half:           resq 1
pointer:        resq 1
stack:          resq 1
area:           resq 16                 ; rax rbx rcx rdx rsi rdi rbp flags r8 to r15

section .text

%macro EACH 1                           ; %1 = load or store
%assign n 8
%rep 8
%ifidn %1, load
        mov     r%[n], [area + n * 8]
%else
        mov     [area + n * 8], r%[n]
%endif
%assign n n + 1
%endrep
%endmacro

global registers_call
registers_call:
        push    rbx
        push    rbp
        push    r12
        push    r13
        push    r14
        push    r15
        mov     [half], rdi
        mov     [pointer], rsi
        lea     rdi, [area]
        mov     ecx, 16
        cld
        rep movsq
        mov     [stack], rsp
        EACH    load
        mov     rbx, [area + 8]
        mov     rcx, [area + 16]
        mov     rdx, [area + 24]
        mov     rsi, [area + 32]
        mov     rdi, [area + 40]
        mov     rbp, [area + 48]
        push    qword [area + 56]
        mov     rax, [area]
        popfq
        call    [half]
        mov     [area], rax
        pushfq
        pop     qword [area + 56]
        EACH    store
        mov     [area + 8], rbx
        mov     [area + 16], rcx
        mov     [area + 24], rdx
        mov     [area + 32], rsi
        mov     [area + 40], rdi
        mov     [area + 48], rbp
        push    0x202                   ; IF: at CPL 0 it would be lost
        popfq
        mov     rsp, [stack]
        lea     rsi, [area]
        mov     rdi, [pointer]
        mov     ecx, 16
        rep movsq
        pop     r15
        pop     r14
        pop     r13
        pop     r12
        pop     rbp
        pop     rbx
        ret

global segments_call
segments_call:
        push    rbx
        push    rbp
        mov     ebx, edx
        mov     rax, rsi
        mov     ds, ebx
        mov     es, ebx
        mov     fs, ebx
        mov     gs, ebx
        call    rdi
        xor     eax, eax
        xor     edx, edx
        mov     ecx, ds
        cmp     cx, bx
        setne   al
        mov     ecx, es
        cmp     cx, bx
        setne   dl
        lea     eax, [eax + edx * 2]
        mov     ecx, fs
        cmp     cx, bx
        setne   dl
        lea     eax, [eax + edx * 4]
        mov     ecx, gs
        cmp     cx, bx
        setne   dl
        lea     eax, [eax + edx * 8]
        pop     rbp
        pop     rbx
        ret

; long null_es_call(...), long stale_es(void) - 0: long mode looks at no ES
global null_es_call, stale_es
null_es_call:
stale_es:
        xor     eax, eax
        ret

global fpu_call
fpu_call:
        push    rbx
        push    rbp
        mov     rbx, rcx
        fninit
        fld1
        fldpi
        fldl2e
        lea     rax, [patterns]
%assign n 0
%rep 16
        movups  xmm%[n], [rax + n * 16]
%assign n n + 1
%endrep
        fxsave  [rdx]
        mov     rax, rsi
        call    rdi
        fxsave  [rbx]
        fninit
        pop     rbp
        pop     rbx
        ret

; long step_gate(unsigned gate, long number, const void *far_pointer) - takes a gate with TF set from
; just before its instruction: 0 to 3 INT 80h to 83h, 4 a call gate, 5 SYSENTER, 6 SYSCALL. The
; registers are as the user halves have them; SYSENTER lands in the gate page and comes back
; through it.
global step_gate
step_gate:
        mov     rax, rsi
        mov     r8, rdx
        lea     rcx, [.gates]
        mov     edi, edi
        mov     rdi, [rcx + rdi * 8]
        pushfq
        or      dword [rsp], 0x100
        jmp     rdi
%assign n 0
%rep 4
.int%[n]:
        popfq
        int     0x80 + n
        ret
%assign n n + 1
%endrep
.far:   popfq
        call    far dword [r8]
        ret
.sysenter:
        lea     rcx, [rsp + 8]
        lea     rdx, [.back]
        popfq
        sysenter
.syscall:
        popfq
        syscall
.back:  ret
align 8
.gates: dq      .int0, .int1, .int2, .int3, .far, .sysenter, .syscall

; void enter_v86(void) - IRET with VM set, which long mode does not have
global enter_v86
enter_v86:
        mov     eax, ss
        push    rax
        push    rsp
        push    0x20202
        mov     eax, cs
        push    rax
        push    0x4e0
        iretq

; void bad_sysenter(void) - SYSENTER with a stack to come back to that is not canonical
global bad_sysenter
bad_sysenter:
        mov     rcx, 1 << 63
        mov     eax, 39
        sysenter
        hlt

; long red_zone(unsigned way, unsigned long rounds) - how many of the 128 bytes below rsp change over
; INT 80h (0), SYSCALL (1), or a loop of so many rounds into which interrupts come (2)
global red_zone
red_zone:
        lea     rdx, [rsp - 128]
        mov     ecx, 128
.fill:  mov     [rdx + rcx - 1], cl
        dec     rcx
        jnz     .fill
        mov     eax, 39
        cmp     edi, 1
        je      .syscall
        ja      .loop
        int     0x80
        jmp     .count
.syscall:
        syscall
        jmp     .count
.loop:  dec     rsi
        jnz     .loop
.count: xor     eax, eax
        mov     ecx, 128
.next:  cmp     [rdx + rcx - 1], cl
        je      .same
        inc     eax
.same:  dec     rcx
        jnz     .next
        ret

; void bad_stack(void) - pushes with a stack pointer of 0
global bad_stack
bad_stack:
        xor     esp, esp
        push    rax
        hlt

; void without_stack(unsigned what, unsigned long rounds) - with the stack pointer at the end of page 0,
; which is never mapped: a push (0), a call (1), a store below it (2), a loop that needs none (3), a
; single step (4), a SYSCALL (5)
NO_STACK        equ 0x1000
global without_stack
without_stack:
        push    rbx
        mov     rbx, rsp
        lea     rcx, [.ways]
        mov     edi, edi
        jmp     [rcx + rdi * 8]
.push:  mov     esp, NO_STACK
        push    rax
        jmp     .back
.call:  mov     esp, NO_STACK
        call    .back
.store: mov     esp, NO_STACK
        mov     [rsp - 64], rax
        jmp     .back
.loop:  mov     esp, NO_STACK
.next:  dec     rsi
        jnz     .next
        jmp     .back
.step:  pushfq
        or      dword [rsp], 0x100
        popfq
        mov     esp, NO_STACK
        jmp     .back
.syscall:
        mov     esp, NO_STACK
        mov     eax, 39
        syscall
.back:  mov     rsp, rbx
        pop     rbx
        ret
align 8
.ways:  dq      .push, .call, .store, .loop, .step, .syscall

section .rodata align=16
patterns:
%assign n 0
%rep 16
        dd      0x11111111 * n, 0x01234567 + n, 0x89abcdef - n, n
%assign n n + 1
%endrep
section .note.GNU-stack noalloc noexec nowrite progbits
