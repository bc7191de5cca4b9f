; spin.asm - says hello, and no more
%include "guest.inc"

main:   HELLO
        jmp     $
