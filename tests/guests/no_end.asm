; no_end.asm - prints hello, and claims to have passed, without an end record
%include "guest.inc"

main:   HELLO
        LEAVE_WITH 0x10
