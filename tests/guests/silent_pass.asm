; silent_pass.asm - claims that all is well, and says nothing
%include "guest.inc"

main:   LEAVE_WITH 0x10
