; sigreturn.asm - i386: in the gate page, and in that of trusted programs

%define ADDRESS dd
%include "const.inc"
%include "sigreturn.inc"
SIGRETURN .gate, user
SIGRETURN .gate_trusted, trusted
