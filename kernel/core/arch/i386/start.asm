; start.asm - from the loader's flat mode to the higher half, i386
;
; Needs 4 MiB pages (CPUID.01H:EDX.PSE[bit 3], on every Pentium) for the first page tables only: 0-4
; MiB identity-mapped, DIRECT_SIZE at KERNEL_BASE. mem/space.c builds the real ones.

%include "const.inc"

bits 32
section .boot progbits alloc exec write align=16

extern start_refuse, kernel_main, boot_stack_top

%define PHYSICAL(symbol) (symbol - KERNEL_BASE)

global start_paging
start_paging:
        mov     eax, 1
        cpuid
        test    edx, 1 << 3
        mov     eax, .no_pse
        jz      start_refuse

        mov     edx, PHYSICAL(early_directory)
        mov     eax, 0x83               ; present, writable, 4 MiB
        mov     [edx], eax
        mov     ecx, KERNEL_BASE >> 22
.fill:  mov     [edx + ecx * 4], eax
        add     eax, 1 << 22
        inc     ecx
        cmp     ecx, (KERNEL_BASE + DIRECT_SIZE) >> 22
        jb      .fill

        mov     cr3, edx
        mov     eax, cr4
        or      eax, CR4_PSE
        mov     cr4, eax
        mov     eax, cr0
        and     eax, ~(CR0_CD | CR0_NW | CR0_EM | CR0_TS) & 0xffffffff
        or      eax, CR0_PG | CR0_WP | CR0_MP | CR0_NE
        mov     cr0, eax
        mov     eax, .high + KERNEL_BASE
        mov     esp, boot_stack_top
        jmp     eax
.high:  xor     ebp, ebp                ; the end of every backtrace
        push    ebp
        push    ebp
        push    esi
        push    edi
        mov     eax, kernel_main
        call    eax

.no_pse:
        db      "tollgate: CPUID.01H:EDX.PSE[bit 3] = 0; i386 needs a Pentium or later.", 10, 0

section .bss nobits alloc noexec write align=4096
global early_windows
early_windows:                          ; the page directory of WINDOW_BASE: the only one
early_directory:
        resb    PAGE_SIZE
