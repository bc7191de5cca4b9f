; sigreturn.asm - i386: in the one gate page

%define SIGRETURN_SECTION .gate
%define ADDRESS dd
%include "const.inc"
%include "sigreturn.inc"
