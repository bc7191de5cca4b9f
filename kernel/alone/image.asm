; image.asm - a program's file as linked: NAME_start, NAME_end

        section .rodata align=16
global %[NAME]_start, %[NAME]_end
%[NAME]_start:
        incbin  FILE
%[NAME]_end:
