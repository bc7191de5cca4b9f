; calls.asm - the server's system calls as functions of C, i386
;
; In two versions: by INT 80h, and through AT_SYSINFO, which is a call in a trusted program. None of
; them has more than four arguments.

%include "native.inc"

section .text

%macro FOUR_ARGUMENTS 2+
        push    ebx
        push    esi
        mov     ebx, [esp + 12]
        mov     ecx, [esp + 16]
        mov     edx, [esp + 20]
        mov     esi, [esp + 24]
        mov     eax, %1
        %2
        pop     esi
        pop     ebx
        ret
%endmacro

%macro SYSTEM_CALL 2                    ; name, number
global system_%1, call_%1
system_%1:
        FOUR_ARGUMENTS %2, int 0x80
call_%1:
        FOUR_ARGUMENTS %2, call [sysinfo]
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

; bool calls_are_calls(const void *sysinfo) - AT_SYSINFO exists
global calls_are_calls
calls_are_calls:
        mov     eax, [esp + 4]
        mov     [sysinfo], eax
        test    eax, eax
        setne   al
        ret

section .bss
sysinfo:
        resd    1
section .note.GNU-stack noalloc noexec nowrite progbits
