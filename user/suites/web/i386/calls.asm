; calls.asm - the server's system calls as functions of C, i386
;
; None of them has more than four arguments.

%include "native.inc"

section .text

%macro SYSTEM_CALL 2                    ; name, number
global system_%1
system_%1:
        push    ebx
        push    esi
        mov     ebx, [esp + 12]
        mov     ecx, [esp + 16]
        mov     edx, [esp + 20]
        mov     esi, [esp + 24]
        mov     eax, %2
        int     0x80
        pop     esi
        pop     ebx
        ret
%endmacro

SYSTEM_CALL accept, 364                 ; accept4
SYSTEM_CALL poll, 168
SYSTEM_CALL read, 3
SYSTEM_CALL write, 4
SYSTEM_CALL open, 295                   ; openat
SYSTEM_CALL fstat, 197                  ; fstat64
SYSTEM_CALL sendfile, 187
SYSTEM_CALL close, 6
SYSTEM_CALL getpid, 20
section .note.GNU-stack noalloc noexec nowrite progbits
