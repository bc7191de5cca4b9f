; registers.asm - segment registers, gates and stacks specific to amd64 (user/lib/registers.h)

%include "native.inc"

section .text

; long null_es_call(...), long stale_es(void) - return 0: long mode ignores ES
global null_es_call, stale_es
null_es_call:
stale_es:
        xor     eax, eax
        ret

; void enter_v86(void) - IRETD with VM set: QEMU enters virtual-8086 mode, processors refuse CS 0
global enter_v86
enter_v86:
        push    0                       ; gs
        push    0                       ; ds fs
        push    0                       ; ss es
        mov     rax, 0x100000020202     ; flags sp
        push    rax
        push    0x4e0                   ; ip cs
        iretd

; void bad_sysenter(void) - SYSENTER with a return stack that is not canonical
global bad_sysenter
bad_sysenter:
        mov     rcx, 1 << 63
        mov     eax, GETPID
        sysenter
        hlt

; long red_zone(unsigned way, unsigned long rounds) - how many of the 128 bytes below rsp are
; changed by INT 80h (0), SYSCALL (1), or interrupts in a loop of that many rounds (2) long
; red_zone_int(unsigned vector) - the same for an INT of a vector from 34h to 7eh
%define INT_FIRST 0x34
%define INT_LAST 0x7e
%define INT_SIZE 5                      ; bytes of an INT and a jump to r9
global red_zone, red_zone_int
red_zone_int:
        lea     r9d, [rdi - INT_FIRST]
        lea     r8, [rel ints]
        lea     r8, [r8 + r9 * (INT_SIZE - 1)]
        add     r8, r9
        mov     edi, 3
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
.loop:  cmp     edi, 3
        lea     r9, [rel .count]
        jne     .round
        jmp     r8
.round: dec     rsi
        jnz     .round
.count: xor     eax, eax
        mov     ecx, 128
.next:  cmp     [rdx + rcx - 1], cl
        je      .same
        inc     eax
.same:  dec     rcx
        jnz     .next
        ret
ints:
%assign vector INT_FIRST
%rep INT_LAST - INT_FIRST + 1
        int     vector
        jmp     r9
%assign vector vector + 1
%endrep
section .note.GNU-stack noalloc noexec nowrite progbits
