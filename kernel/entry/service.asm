; service.asm - the service routine that every row calls: getpid
;
; Written here so that MP4 and MP5 are its first and last instruction. It reads through SS, which
; every gate has loaded, so the service variant need not load DS. Clobbers rax only.

%include "asm.inc"

        bits    KERNEL_BITS
        section .entry progbits alloc exec nowrite align=16
        %xdefine STAMP STAMP_KERNEL

global %[FLAVOUR]_getpid
%[FLAVOUR]_getpid:
        CFI_CALLED
        PROBE   MP4
        mov     rax, [KERNEL_SEGMENT cpu_current]
        mov     eax, [KERNEL_SEGMENT rax + PROCESS_PID]
        PROBE   MP5
        ret
