; silent_pass.asm - claims to have passed, without any output
%include "guest.inc"

main:   LEAVE_WITH 0x10
