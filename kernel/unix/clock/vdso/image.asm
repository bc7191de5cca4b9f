; image.asm - an image for programs of one origin (vdso.ld), in the kernel's memory: two pages

; its symbols, at the programs' addresses
%include SYMBOLS

        section .rodata align=4096
global vdso_%[ORIGIN]_image
vdso_%[ORIGIN]_image:
        incbin  IMAGE
        times 2 * 4096 - ($ - vdso_%[ORIGIN]_image) db 0

; its fix-ups in the kernel's form (image.c): the image has two 32-bit distances each
        section .bss align=8
global vdso_%[ORIGIN]_marks
vdso_%[ORIGIN]_marks:
        resb    (vdso_%[ORIGIN]_fixups_end - vdso_%[ORIGIN]_fixups) / 4 * (__?BITS?__ / 8)
