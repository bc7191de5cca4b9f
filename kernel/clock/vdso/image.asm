; image.asm - an image for programs of one origin (vdso.ld), as the kernel holds it: two pages

        section .rodata align=4096
global vdso_%[ORIGIN]_image
vdso_%[ORIGIN]_image:
        incbin  IMAGE
        times 2 * 4096 - ($ - vdso_%[ORIGIN]_image) db 0

; its symbols, at the addresses where programs have it
%include SYMBOLS
