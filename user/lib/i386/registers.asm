; registers.asm - segment registers, gates and stacks specific to i386 (user/lib/registers.h)

%include "native.inc"

section .text

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

; long stale_es(void) - at CPL 0: INT 80h with a selector in ES whose descriptor is removed before
; ES is reloaded. Returns ES afterwards.
global stale_es
stale_es:
        push    ebx
        push    es
        sub     esp, 8
        sgdt    [esp + 2]
        mov     edx, [esp + 4]
        add     esp, 8
        mov     ecx, cs                 ; KERNEL_DS is the next selector
        mov     ebx, [edx + ecx + 8]
        mov     [edx + 8], ebx
        mov     ebx, [edx + ecx + 12]
        mov     [edx + 12], ebx
        mov     eax, 8
        mov     es, eax
        mov     dword [edx + 12], 0
        mov     eax, GETPID
        int     0x80
        mov     eax, es
        pop     es
        pop     ebx
        ret

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

; void bad_sysenter(void) - SYSENTER without a valid return stack
global bad_sysenter
bad_sysenter:
        mov     ebp, -4
        mov     ecx, ebp
        mov     eax, GETPID
        sysenter
        hlt

; long red_zone(unsigned way, unsigned long rounds) - returns 0: the i386 ABI has no red zone
global red_zone, red_zone_int
red_zone:
red_zone_int:
        xor     eax, eax
        ret
section .note.GNU-stack noalloc noexec nowrite progbits
