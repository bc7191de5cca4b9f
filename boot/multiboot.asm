; multiboot.asm - the Multiboot 1 and 2 headers, and the 32-bit entry of both kernels
;
; The loader enters in protected mode, flat segments, paging off, interrupts off (Multiboot
; Specification 0.6.96 and 2.0, "Machine state").
;
;       eax     the loader's magic      ebx     physical address of its information
;
; Continues in start_paging (arch/<arch>/start.asm) with both saved in edi and esi.

%include "const.inc"

bits 32

section .multiboot progbits alloc noexec nowrite align=8

MB1_FLAGS       equ 3                   ; modules on page boundaries, memory map
PATIENCE        equ 20000               ; polls of a port

multiboot1_header:
        dd      0x1badb002, MB1_FLAGS, -(0x1badb002 + MB1_FLAGS)

align 8
multiboot2_header:
        dd      0xe85250d6, 0, .end - multiboot2_header
        dd      -(0xe85250d6 + 0 + (.end - multiboot2_header))
        dw      5, 1                    ; framebuffer, optional: UEFI has no text screen
        dd      20, 1280, 1024, 32
align 8
        dw      0, 0
        dd      8
.end:

section .boot progbits alloc exec write align=16

extern start_paging

global start
start:
        cld
        mov     esp, start_stack_top
        mov     edi, eax
        mov     esi, ebx
        xor     eax, eax
        lldt    ax                      ; a left-over LDT would let selectors with TI = 1 load
        pushfd                          ; CPUID exists if EFLAGS.ID can be changed
        pop     eax
        mov     ecx, eax
        xor     eax, RFLAGS_ID
        push    eax
        popfd
        pushfd
        pop     eax
        xor     eax, ecx
        test    eax, RFLAGS_ID
        jnz     start_paging
        mov     eax, .no_cpuid
        jmp     start_refuse
.no_cpuid:
        db      "tollgate: this processor has no CPUID; Tollgate needs a Pentium or later.", 10, 0

; Prints the sentence at eax on COM1 and on the text screen, and exits with status 0x12.
global start_refuse
start_refuse:
        mov     ebx, eax
        mov     esi, .uart              ; some firmware leaves it at 5 data bits
.set:   lodsw
        movzx   edx, al
        add     edx, 0x3f8
        mov     al, ah
        out     dx, al
        cmp     esi, .uart_end
        jb      .set
        mov     esi, ebx
        mov     edi, 0xb8000
.next:  lodsb
        test    al, al
        jz      .leave
        mov     ah, 0x0f
        cmp     al, 10
        je      .serial
        stosw
.serial:
        mov     bl, al
        mov     dx, 0x3fd
        mov     ecx, PATIENCE           ; a stuck port must not stop the machine
.wait:  in      al, dx
        test    al, 0x20
        loopz   .wait
        mov     al, bl
        mov     dx, 0x3f8
        out     dx, al
        jmp     .next
.leave: mov     dx, 0x3fd
        mov     ecx, PATIENCE
.drain: in      al, dx                  ; the last byte must be sent before the machine stops
        test    al, 0x40
        loopz   .drain
        mov     al, 0x12
        mov     dx, 0xf4                ; QEMU's isa-debug-exit
        out     dx, al
        mov     esi, .bochs
        mov     dx, 0x8900              ; Bochs
        mov     ecx, 8
        rep outsb
.halt:  cli
        hlt
        jmp     .halt
.bochs: db      "Shutdown"
.uart:  db      1, 0x00, 3, 0x80, 0, 0x01, 1, 0x00, 3, 0x03, 2, 0xc7, 4, 0x03 ; as machine/serial.c
.uart_end:

align 16
        times 1024 db 0
start_stack_top:
