; service.asm - the service routine that every row calls: getpid
;
; In assembly, so that MP4 and MP5 are its first and last instruction. It reads through SS, which
; every gate loads, so the service variant need not load DS. Clobbers rax only.
;
; Each origin has a copy. Rows that stay on the program's stack call their origin's copy; all
; others, and the tables, call the user's.

%include "asm.inc"

KERNEL getpid, CFI_CALLED
        PROGRAM_STACK
        PROBE   MP4
        mov     rax, [KERNEL_SEGMENT cpu_current]
        mov     eax, [KERNEL_SEGMENT rax + THREAD_PID]
        PROBE   MP5
%ifdef PART_RETURN
        PART_RETURN
%else
        ret
%endif
