; hand.asm - a loader for tests/torture/inputs.py: passes the second module's data to a kernel
;
; The first module is the kernel, an ELF32 file, which is loaded by its segments. The second is
; copied to BLOB: a magic number and the address of the information, passed in eax and ebx
; (Multiboot Specification 0.6.96, "Machine state"; 2.0, the same), and the information itself.

BLOB    equ     0x6000000
bits 32
org 0x2000000
MB1_FLAGS       equ 0x10003             ; modules on pages, memory map, addresses below

header: dd      0x1badb002, MB1_FLAGS, -(0x1badb002 + MB1_FLAGS)
        dd      header, header, 0, 0, main

main:   mov     esp, stack
        cld
        mov     ebp, [ebx + 24]         ; the modules: start, end, line, reserved
        mov     edx, [ebp]              ; ELF: e_phoff, e_phnum
        mov     ebx, [edx + 28]
        add     ebx, edx
        movzx   eax, word [edx + 44]
        push    dword [ebp + 16]
        push    dword [ebp + 20]
        push    dword [edx + 24]        ; e_entry
.segment:
        cmp     dword [ebx], 1          ; PT_LOAD
        jne     .next
        mov     esi, [ebx + 4]          ; p_offset, p_paddr, p_filesz, p_memsz
        add     esi, edx
        mov     edi, [ebx + 12]
        mov     ecx, [ebx + 16]
        rep movsb
        mov     ecx, [ebx + 20]
        sub     ecx, [ebx + 16]
        push    eax
        xor     eax, eax
        rep stosb
        pop     eax
.next:  add     ebx, 32
        dec     eax
        jnz     .segment
        pop     edx
        pop     ecx
        pop     esi
        sub     ecx, esi
        mov     edi, BLOB
        rep movsb
        mov     eax, [BLOB]
        mov     ebx, [BLOB + 4]
        jmp     edx
        times 64 dd 0
stack:
