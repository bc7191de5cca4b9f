; fpu.asm - x87 and SSE state to and from a program's memory, amd64 (proc/sigframe.h)

%define FLAVOUR clean
%define ORIGIN user
%include "asm.inc"

FNSAVE_STATUS   equ 4                   ; offsets in FNSAVE's image, and in what Linux puts behind it
FNSAVE_COPY     equ 108
NO_FXSAVE       equ 0xffff0000          ; `magic`: no image of FXSAVE follows

        bits    64
        section .text progbits alloc exec nowrite align=16

; bool fpu_put(void *fnsave, void *fxsave) - FNSAVE leaves the x87 initialised
global fpu_put
fpu_put:
        CFI_CALLED
        STAC
        test    rsi, rsi
        jz      .x87
        FIXUP   .failed
        fxsave64 [rsi]
.x87:   test    rdi, rdi
        jz      .done
        FIXUP   .failed
        fnsave  [rdi]
        FIXUP   .failed
        movzx   eax, word [rdi + FNSAVE_STATUS]
        test    rsi, rsi
        jnz     .copy
        or      eax, NO_FXSAVE
.copy:  FIXUP   .failed
        mov     [rdi + FNSAVE_COPY], eax
.done:  mov     eax, 1
        jmp     .out
.failed:
        xor     eax, eax
.out:   CLAC
        ret

; bool fpu_take(const void *fnsave, const void *fxsave) - FXRSTOR may bring an exception that is
; not masked, on which FRSTOR would fault: FNINIT takes it off
global fpu_take
fpu_take:
        CFI_CALLED
        fninit
        STAC
        test    rsi, rsi
        jz      .x87
        FIXUP   .failed
        fxrstor64 [rsi]
.x87:   test    rdi, rdi
        jz      .done
        fninit
        FIXUP   .failed
        frstor  [rdi]
.done:  mov     eax, 1
        jmp     .out
.failed:
        xor     eax, eax
.out:   CLAC
        ret
