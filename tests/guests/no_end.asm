; no_end.asm - says hello, and claims that all is well, without an end record
%include "guest.inc"

main:   HELLO
        LEAVE_WITH 0x10
