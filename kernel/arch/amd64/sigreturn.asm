; sigreturn.asm - amd64: in the gate page of 32-bit programs

%define SIGRETURN_SECTION .gate32
%define ADDRESS dq
%include "const.inc"
%include "sigreturn.inc"
