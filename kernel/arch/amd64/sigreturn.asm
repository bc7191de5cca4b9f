; sigreturn.asm - amd64: in the gate page of 32-bit programs

%define ADDRESS dq
%include "const.inc"
%include "sigreturn.inc"
SIGRETURN .gate32, compat
