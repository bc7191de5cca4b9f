; triple_fault_late.asm - prints the test's file `said`, then faults nevertheless
%include "guest.inc"

main:   SAY     said, said.end
        lidt    [nothing]
        ud2
nothing:
        dw      0
        dd      0
said:   incbin  "said"
.end:
