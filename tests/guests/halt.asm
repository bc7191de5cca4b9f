; halt.asm - prints hello, and waits for an interrupt that cannot come
%include "guest.inc"

main:   HELLO
        cli
.halt:  hlt
        jmp     .halt
