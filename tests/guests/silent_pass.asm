; silent_pass.asm - claims to have passed, and says nothing
%include "guest.inc"

main:   LEAVE_WITH 0x10
