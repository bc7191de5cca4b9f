; triple_fault.asm - says hello; then an exception with no interrupt table to take it
%include "guest.inc"

main:   HELLO
        lidt    [nothing]
        ud2
nothing:
        dw      0
        dd      0
