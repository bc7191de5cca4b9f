; signals.asm - what a test of signals needs beside C, i386 (user/lib/signals.h)

bits 32
section .bss
saved:  resd 1

section .text

global restorer_plain
restorer_plain:
        pop     eax
        mov     eax, 119                ; sigreturn
        int     0x80

global guarded_call, guarded_back
guarded_call:
        push    ebp
        push    ebx
        push    esi
        push    edi
        mov     [saved], esp
        push    dword [esp + 24]
        call    [esp + 24]
        xor     eax, eax
        jmp     guarded_out
guarded_back:
        mov     eax, 1
guarded_out:
        mov     esp, [saved]
        pop     edi
        pop     esi
        pop     ebx
        pop     ebp
        ret

global sigreturn_at
sigreturn_at:
        mov     esp, [esp + 4]
        mov     eax, 173
        int     0x80
        hlt

; the i386 ABI has no red zone
global kill_over_red_zone
kill_over_red_zone:
        push    ebx
        mov     ebx, [esp + 8]
        mov     ecx, [esp + 12]
        mov     eax, 37
        int     0x80
        xor     eax, eax
        pop     ebx
        ret

global fault_write, fault_write_end
fault_write:
        mov     eax, [esp + 4]
        mov     byte [eax], 1
fault_write_end:
        ret

global fault_after_call, fault_after_call_at
fault_after_call:
        mov     eax, -512
        jmp     fault_after_call_at
        int     0x80
fault_after_call_at:
        ud2
        ret
section .note.GNU-stack noalloc noexec nowrite progbits
