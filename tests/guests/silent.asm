; silent.asm - lives, and says nothing
%include "guest.inc"

main:   jmp     $
