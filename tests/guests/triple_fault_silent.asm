; triple_fault_silent.asm - the same without output
%include "guest.inc"

main:   lidt    [nothing]
        ud2
nothing:
        dw      0
        dd      0
