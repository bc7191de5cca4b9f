; spin.asm - prints hello, then nothing
%include "guest.inc"

main:   HELLO
        jmp     $
