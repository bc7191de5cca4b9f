; power_off.asm - prints the test's file `said`; then ACPI's soft-off, as set up by the firmware of
; QEMU's machine `pc` (PIIX4 PM1a control at 0x604, SLP_TYP 0, SLP_EN)
%include "guest.inc"

main:   SAY     said, said.end
        mov     dx, 0x604
        mov     ax, 0x2000
        out     dx, ax
        jmp     $
said:   incbin  "said"
.end:
