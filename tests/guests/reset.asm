; reset.asm - prints hello, and resets by the keyboard controller
%include "guest.inc"

main:   HELLO
        OUT     0x64, 0xfe
        jmp     $
