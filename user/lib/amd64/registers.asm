; registers.asm - segment registers, gates and stacks as amd64 alone has them (user/lib/registers.h)

%include "native.inc"

section .text

; long segments_call(const void *half, long number, unsigned selector)
;       with ds es fs gs loaded (bit n of the result: the nth of them came back changed)
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

; long step_gate(unsigned gate, long number, const void *far_pointer) - takes a gate with TF set from
; just before its instruction: 0 to 3 INT 80h to 83h, 4 a call gate, 5 SYSENTER, 6 SYSCALL. The
; registers are as the user halves have them; SYSENTER lands in the gate page and comes back
; through it.
global step_gate
step_gate:
        mov     rax, rsi
        mov     r8, rdx
        mov     edi, edi
        mov     rdi, [.gates + rdi * 8]
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
        mov     rdx, .back
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
        mov     eax, GETPID
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
        mov     eax, GETPID
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
section .note.GNU-stack noalloc noexec nowrite progbits
