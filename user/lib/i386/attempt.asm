; attempt.asm - runs code with every register chosen; a signal handler ends it (user/lib/attempt.h)
;
; void attempt_start(const void *code, const struct attempt *registers)
; attempt_end - where the handler leads to, with esp = attempt_sp

bits 32
section .bss
global attempt_sp
attempt_sp:     resd 1
target:         resd 1

section .text
global attempt_start, attempt_end
attempt_start:
        push    ebp
        push    ebx
        push    esi
        push    edi
        mov     [attempt_sp], esp
        mov     eax, [esp + 20]
        mov     esi, [esp + 24]
        mov     [target], eax
        mov     eax, [esi]
        mov     ebx, [esi + 4]
        mov     ecx, [esi + 8]
        mov     edx, [esi + 12]
        mov     edi, [esi + 20]
        mov     ebp, [esi + 24]
        mov     esp, [esi + 32]
        push    dword [esi + 28]
        mov     esi, [esi + 16]
        popfd
        jmp     [target]

attempt_end:
        pop     edi
        pop     esi
        pop     ebx
        pop     ebp
        ret
section .note.GNU-stack noalloc noexec nowrite progbits
