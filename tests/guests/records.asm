; records.asm - says what the test put into the file `said`, and claims to have passed
%include "guest.inc"

main:   SAY     said, said.end
        LEAVE_WITH 0x10
said:   incbin  "said"
.end:
