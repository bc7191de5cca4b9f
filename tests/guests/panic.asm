; panic.asm - says hello, and gives up as a kernel that refuses to boot
%include "guest.inc"

main:   HELLO
        LEAVE_WITH 0x12
