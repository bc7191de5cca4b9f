; panic.asm - prints hello, and stops like a kernel that refuses to boot
%include "guest.inc"

main:   HELLO
        LEAVE_WITH 0x12
