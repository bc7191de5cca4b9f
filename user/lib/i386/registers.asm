; registers.asm - calls a user half with every register chosen, and reads every register after
;
; void registers_call(const void *half, struct registers *r)       user/lib/registers.h
; long segments_call(const void *half, long number, unsigned selector)
;       with ds es fs gs loaded (bit n of the result: the nth of them came back changed)
; void fpu_call(const void *half, long number, void *before, void *after)
;       with an x87 and an SSE state of patterns, kept in two FXSAVE areas

bits 32
section .bss align=16
half:           resd 1
pointer:        resd 1
stack:          resd 1
area:           resd 8                  ; eax ebx ecx edx esi edi ebp flags

section .text

global registers_call
registers_call:
        pushad
        mov     eax, [esp + 36]
        mov     [half], eax
        mov     esi, [esp + 40]
        mov     [pointer], esi
        mov     edi, area
        mov     ecx, 8
        cld
        rep movsd
        mov     [stack], esp
        mov     ebx, [area + 4]
        mov     ecx, [area + 8]
        mov     edx, [area + 12]
        mov     esi, [area + 16]
        mov     edi, [area + 20]
        mov     ebp, [area + 24]
        push    dword [area + 28]
        mov     eax, [area]
        popfd
        call    [half]
        mov     [area], eax
        pushfd
        pop     dword [area + 28]
        mov     [area + 4], ebx
        mov     [area + 8], ecx
        mov     [area + 12], edx
        mov     [area + 16], esi
        mov     [area + 20], edi
        mov     [area + 24], ebp
        push    0x202                   ; IF: at CPL 0 it would be lost
        popfd
        mov     esp, [stack]
        mov     esi, area
        mov     edi, [pointer]
        mov     ecx, 8
        rep movsd
        popad
        ret

global segments_call
segments_call:
        push    ebp
        push    ebx
        push    esi
        push    edi
        push    ds
        push    es
        mov     esi, [esp + 28]         ; half
        mov     eax, [esp + 32]
        mov     ebx, [esp + 36]
        mov     fs, ebx
        mov     gs, ebx
        mov     es, ebx
        mov     ds, ebx
        call    esi
        xor     eax, eax
        mov     ecx, ds
        cmp     cx, bx
        setne   al
        mov     ecx, es
        cmp     cx, bx
        setne   dl
        lea     eax, [eax + edx * 2]
        pop     es
        pop     ds
        mov     ecx, fs
        xor     edx, edx
        cmp     cx, bx
        setne   dl
        lea     eax, [eax + edx * 4]
        mov     ecx, gs
        cmp     cx, bx
        setne   dl
        lea     eax, [eax + edx * 8]
        and     eax, 15
        pop     edi
        pop     esi
        pop     ebx
        pop     ebp
        ret

; long null_es_call(const void *half, long number, long a, void *b) - with a null ES, which the kernel's
; string instructions use
global null_es_call
null_es_call:
        push    ebx
        push    es
        xor     eax, eax
        mov     es, eax
        mov     eax, [esp + 16]
        mov     ebx, [esp + 20]
        mov     ecx, [esp + 24]
        call    [esp + 12]
        pop     es
        pop     ebx
        ret

; long stale_es(void) - at CPL 0: INT 80h with a selector in ES whose descriptor is gone by the time
; that it is loaded again. What ES holds then.
global stale_es
stale_es:
        push    ebx
        push    es
        sub     esp, 8
        sgdt    [esp + 2]
        mov     edx, [esp + 4]
        add     esp, 8
        mov     ecx, cs                 ; KERNEL_DS is next to it
        mov     ebx, [edx + ecx + 8]
        mov     [edx + 8], ebx
        mov     ebx, [edx + ecx + 12]
        mov     [edx + 12], ebx
        mov     eax, 8
        mov     es, eax
        mov     dword [edx + 12], 0
        mov     eax, 20
        int     0x80
        mov     eax, es
        pop     es
        pop     ebx
        ret

global fpu_call
fpu_call:
        push    ebp
        push    ebx
        push    esi
        push    edi
        fninit
        fld1
        fldpi
        fldl2e
        mov     eax, patterns
%assign n 0
%rep 8
        movups  xmm%[n], [eax + n * 16]
%assign n n + 1
%endrep
        mov     ecx, [esp + 28]
        fxsave  [ecx]
        mov     eax, [esp + 24]
        call    [esp + 20]
        mov     ecx, [esp + 32]
        fxsave  [ecx]
        fninit
        pop     edi
        pop     esi
        pop     ebx
        pop     ebp
        ret

; long step_gate(unsigned gate, long number, const void *far_pointer) - takes a gate with TF set from
; just before its instruction: 0 to 3 INT 80h to 83h, 4 a call gate, 5 SYSENTER, 6 SYSCALL. The
; registers are as the user halves have them; SYSENTER lands in the gate page and comes back
; through it.
global step_gate
step_gate:
        push    ebp
        mov     edx, [esp + 16]
        mov     eax, [esp + 12]
        mov     ecx, [esp + 8]
        pushfd
        or      dword [esp], 0x100
        jmp     [.gates + ecx * 4]
%assign n 0
%rep 4
.int%[n]:
        popfd
        int     0x80 + n
        pop     ebp
        ret
%assign n n + 1
%endrep
.far:   popfd
        call    far [edx]
        pop     ebp
        ret
.sysenter:                              ; a landing takes back ebp edx ecx and returns; a bare one
        pop     edx                     ; comes to edx with esp = ecx
        push    .back
        push    ecx
        push    edx
        push    ebp
        mov     ebp, esp
        mov     ecx, esp
        push    edx
        mov     edx, .bare
        popfd
        sysenter
.bare:  add     esp, 4 * 4
        jmp     .back
.syscall:
        popfd
        syscall
.back:  pop     ebp
        ret
align 4
.gates: dd      .int0, .int1, .int2, .int3, .far, .sysenter, .syscall

; void enter_v86(void) - IRET with VM set: QEMU enters virtual-8086 mode from CPL 3, with any CS
global enter_v86
enter_v86:
        push    0                       ; gs fs ds es ss
        push    0
        push    0
        push    0
        push    0
        push    0x1000
        push    0x20202
        push    0
        push    0x4e0
        iretd

; void bad_sysenter(void) - SYSENTER with no stack to come back to
global bad_sysenter
bad_sysenter:
        mov     ebp, -4
        mov     ecx, ebp
        mov     eax, 20
        sysenter
        hlt

; long red_zone(unsigned way, unsigned long rounds) - 0: the i386 ABI has no red zone
global red_zone
red_zone:
        xor     eax, eax
        ret

; void bad_stack(void) - pushes with a stack pointer of 0
global bad_stack
bad_stack:
        xor     esp, esp
        push    eax
        hlt

; void without_stack(unsigned what, unsigned long rounds) - with the stack pointer at the end of page 0,
; which is never mapped: a push (0), a call (1), a store below it (2), a loop that needs none (3), a
; single step (4), a SYSCALL (5)
NO_STACK        equ 0x1000
global without_stack
without_stack:
        push    ebx
        mov     eax, [esp + 8]
        mov     ecx, [esp + 12]
        mov     ebx, esp
        jmp     [.ways + eax * 4]
.push:  mov     esp, NO_STACK
        push    eax
        jmp     .back
.call:  mov     esp, NO_STACK
        call    .back
.store: mov     esp, NO_STACK
        mov     [esp - 64], eax
        jmp     .back
.loop:  mov     esp, NO_STACK
.next:  dec     ecx
        jnz     .next
        jmp     .back
.step:  pushfd
        or      dword [esp], 0x100
        popfd
        mov     esp, NO_STACK
        jmp     .back
.syscall:
        mov     esp, NO_STACK
        mov     eax, 20
        syscall
.back:  mov     esp, ebx
        pop     ebx
        ret
align 4
.ways:  dd      .push, .call, .store, .loop, .step, .syscall

section .rodata align=16
patterns:
%assign n 0
%rep 16
        dd      0x11111111 * n, 0x01234567 + n, 0x89abcdef - n, n
%assign n n + 1
%endrep
section .note.GNU-stack noalloc noexec nowrite progbits
