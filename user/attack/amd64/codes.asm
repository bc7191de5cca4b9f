; codes.asm - cases that only 64-bit mode has

%include "codes.inc"
default rel

ATTACK "privileged/swapgs", SEGV
        swapgs
ATTACK "privileged/read_cr8", SEGV
        mov     rax, cr8
ATTACK "privileged/write_cr8", SEGV
        mov     rax, 15
        mov     cr8, rax
ATTACK "privileged/sysretq", SEGV
        mov     rcx, 1 << 63
        o64 sysret
ATTACK "privileged/sysexitq", SEGV | ILL
        mov     rcx, 1 << 63
        mov     rdx, rcx
        o64 sysexit
ATTACK "undefined/push_es", ILL
        db      0x06
ATTACK "undefined/far_jump", ILL
        db      0xea, 0, 0, 0, 0, 0x10, 0
ATTACK "undefined/into", ILL
        db      0xce
ATTACK "undefined/loadall", LIVES | ILL | SEGV
        mov     eax, 39                 ; 0F 05 is LOADALL on a 286, SYSCALL here
        db      0x0f, 0x05

; If the bases of FS and GS may be written (CR4.FSGSBASE), any canonical address is allowed.
ATTACK "base/wrfsbase_kernel", LIVES | ILL
        mov     rax, -1 << 31
        wrfsbase rax
        mov     eax, 39
        syscall
ATTACK "base/wrgsbase_kernel", LIVES | ILL
        mov     rax, -1 << 31
        wrgsbase rax
        mov     eax, 39
        int     0x80
        mov     eax, 39
        syscall
ATTACK "base/wrgsbase_not_canonical", SEGV | ILL
        mov     rax, 1 << 63
        wrgsbase rax
ATTACK "base/read_through_gs", SEGV | ILL
        mov     rax, -1 << 31
        wrgsbase rax
        mov     rax, [gs:0]

; SYSCALL with a return address that SYSRET must not see, and an invalid stack.
ATTACK "syscall/all_flags", LIVES | TRAP | ILL
        push    ~0x100
        popfx
        mov     eax, 39
        syscall
        push    2
        popfx
ATTACK "syscall/rcx_r11_not_canonical", LIVES
        mov     rcx, 1 << 63
        mov     r11, -1
        mov     eax, 39
        syscall
        push    2
        popfx
ATTACK "syscall/from_32_bit_code", SEGV | ILL | BUS | LIVES
        push    0x23
        lea     rax, [.syscall_there]
        push    rax
        o64 retf
bits 32
.syscall_there:
        mov     eax, 20
        syscall
        ud2
bits 64
ATTACK "sysenter/from_32_bit_code", SEGV | ILL | BUS | LIVES
        push    0x23
        lea     rax, [.sysenter_there]
        push    rax
        o64 retf
bits 32
.sysenter_there:
        mov     eax, 20
        mov     ebp, -4
        sysenter
        ud2
bits 64
ATTACK "int/from_32_bit_code", SEGV | ILL | BUS
        push    0x23
        lea     rax, [.int_there]
        push    rax
        o64 retf
bits 32
.int_there:
        mov     eax, 20
        mov     ebp, -4
        int     0x80
        ud2
bits 64

; A 32-bit program's SYSCALL must be closed to a 64-bit one, whatever ran before: -ENOSYS, or #UD if
; only 64-bit code has SYSCALL. HLT must not be reached.
ATTACK "other/syscall_of_32_bits", LIVES | ILL
        mov     [.stack], rsp
        jmp     far dword [.there]
bits 32
.other_there:
        mov     eax, 20
        syscall
        jmp     0x33:.other_back
bits 64
.other_back:
        mov     rsp, [.stack]
        cmp     eax, -38
        je      .other_end
        hlt
        [section .bss]
.stack: resq    1
        [section .data]
.there: dd      .other_there
        dw      0x23
        __?SECT?__
.other_end:
        ret
section .note.GNU-stack noalloc noexec nowrite progbits
