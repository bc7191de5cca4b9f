; image.asm - an image for programs of one origin (vdso.ld), as the kernel holds it: two pages

; its symbols, at the addresses where programs have it
%include SYMBOLS

        section .rodata align=4096
global vdso_%[ORIGIN]_image
vdso_%[ORIGIN]_image:
        incbin  IMAGE
        times 2 * 4096 - ($ - vdso_%[ORIGIN]_image) db 0

; its fix-ups as the kernel looks them up (image.c): the image has two distances of 32 bits each
        section .bss align=8
global vdso_%[ORIGIN]_marks
vdso_%[ORIGIN]_marks:
        resb    (vdso_%[ORIGIN]_fixups_end - vdso_%[ORIGIN]_fixups) / 4 * (__?BITS?__ / 8)
