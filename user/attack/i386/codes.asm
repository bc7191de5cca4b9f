; codes.asm - cases that 64-bit mode no longer has

%include "codes.inc"

ATTACK "undefined/into", SEGV
        mov     eax, 0x7fffffff
        add     eax, 1
        into
ATTACK "undefined/bound", SEGV
        mov     eax, -1
        bound   eax, [memory]
ATTACK "undefined/aam_0", FPE
        aam     0
ATTACK "undefined/lds_kernel", SEGV
        mov     dword [memory], 0
        mov     word [memory + 4], 0x68
        lds     eax, [memory]
ATTACK "undefined/lss_null", SEGV
        mov     dword [memory], 0
        mov     word [memory + 4], 0
        lss     eax, [memory]
ATTACK "undefined/pop_ss_then_int", LIVES
        push    ss
        mov     eax, 20
        pop     ss
        int     0x80
ATTACK "undefined/pop_ss_tf_then_int", TRAP
        push    ss
        push    0x302
        mov     eax, 20
        popfd
        pop     ss
        int     0x80
        nop
ATTACK "undefined/null_ds_then_int", LIVES
        xor     ecx, ecx
        mov     edx, ds
        mov     ds, ecx
        mov     es, ecx
        mov     eax, 20
        int     0x80
        mov     ds, edx
        mov     es, edx
ATTACK "undefined/null_ds_then_fault", SEGV
        xor     ecx, ecx
        mov     ds, ecx
        mov     es, ecx
        mov     eax, [0x1000]
ATTACK "undefined/call_far_16", SEGV | ILL | BUS
        call    0x10:0
        ret
ATTACK "undefined/step_into_virtual_8086", SEGV | TRAP ; QEMU 7.2 allows it; these are not selectors
        mov     edx, 0x7b8
%rep 5
        push    edx                     ; GS FS DS ES SS
%endrep
        push    0x1000
        push    0x20202
        push    edx
        push    0
        push    0x302
        popfd
        iretd

; A 64-bit program's SYSCALL must be closed to a 32-bit one, whatever ran before: -ENOSYS. A 32-bit
; kernel has no such segment. UD2 must not be reached.
ATTACK "other/syscall_of_64_bits", LIVES | SEGV
        jmp     0x33:.other_there
bits 64
.other_there:
        mov     eax, 39
        syscall
        jmp     far dword [abs .back]
bits 32
.other_back:
        cmp     eax, -38
        je      .other_end
        ud2
        [section .data]
.back:  dd      .other_back
        dw      0x23
        __?SECT?__
.other_end:
        ret
section .note.GNU-stack noalloc noexec nowrite progbits
