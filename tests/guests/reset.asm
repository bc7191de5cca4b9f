; reset.asm - says hello, and pulls the processor's reset line through the keyboard controller
%include "guest.inc"

main:   HELLO
        OUT     0x64, 0xfe
        jmp     $
