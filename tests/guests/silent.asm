; silent.asm - runs without any output
%include "guest.inc"

main:   jmp     $
