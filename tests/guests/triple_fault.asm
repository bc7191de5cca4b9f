; triple_fault.asm - prints hello; then an exception without an interrupt table
%include "guest.inc"

main:   HELLO
        lidt    [nothing]
        ud2
nothing:
        dw      0
        dd      0
