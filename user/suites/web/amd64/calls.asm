; calls.asm - the server's system calls as functions of C, amd64
;
; In two versions. In one the number is set before another instruction, so it is SYSCALL in both
; rings. In the other they are adjacent, as in most programs, and in a trusted program the kernel
; may turn them into a call. The fourth argument arrives in rcx, which SYSCALL overwrites.

%include "native.inc"

section .text

%macro SYSTEM_CALL 2                    ; name, number
global system_%1, call_%1
system_%1:
        mov     eax, %2
        mov     r10, rcx
        syscall
        ret
call_%1:
        mov     r10, rcx
        mov     eax, %2
        syscall
        ret
%endmacro

SYSTEM_CALL accept, 288                 ; accept4
SYSTEM_CALL poll, 7
SYSTEM_CALL read, 0
SYSTEM_CALL write, 1
SYSTEM_CALL open, 257                   ; openat
SYSTEM_CALL fstat, 5
SYSTEM_CALL sendfile, 40
SYSTEM_CALL close, 3
SYSTEM_CALL getpid, 39

; bool calls_are_calls(const void *sysinfo) - the kernel has turned them into jumps
global calls_are_calls
calls_are_calls:
        xor     eax, eax
        cmp     byte [rel call_read + 3], 0xff
        sete    al
        ret
section .note.GNU-stack noalloc noexec nowrite progbits
