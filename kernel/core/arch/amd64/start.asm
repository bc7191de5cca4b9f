; start.asm - from the loader's flat mode to the higher half, amd64
;
; The first page tables map DIRECT_SIZE of memory twice, at address 0 and at KERNEL_BASE, in 2 MiB
; pages. The table for WINDOW_BASE is still empty. mem/space.c builds the real ones. On a processor
; without long mode a message says so.

%include "const.inc"

bits 32
section .boot progbits alloc exec write align=16

extern start_refuse, kernel_main, boot_stack_top

%define PHYSICAL(symbol) (symbol - KERNEL_BASE)
%define NEEDED (1 << 5 | 1 << 15 | 1 << 24) ; CPUID.01H:EDX.MSR, CMOV, FXSR

global start_paging
start_paging:
        mov     eax, 0x80000000
        cpuid
        cmp     eax, 0x80000001
        jb      .no_long_mode
        mov     eax, 0x80000001
        cpuid
        test    edx, 1 << 29
        jz      .no_long_mode
        mov     eax, 1
        cpuid
        and     edx, NEEDED
        cmp     edx, NEEDED
        je      .long_mode
        mov     eax, .lacks
        jmp     start_refuse
.no_long_mode:
        mov     eax, .refusal
        jmp     start_refuse

.long_mode:
        mov     edx, PHYSICAL(early_pml4)
        lea     eax, [edx + PAGE_SIZE + 3]      ; the PDPT, present and writable
        mov     [edx], eax
        mov     [edx + 511 * 8], eax
        add     eax, PAGE_SIZE                  ; the page directory
        mov     [edx + PAGE_SIZE], eax
        mov     [edx + PAGE_SIZE + 510 * 8], eax
        lea     ebx, [edx + 2 * PAGE_SIZE]
        mov     eax, 0x83                       ; present, writable, 2 MiB
.fill:  mov     [ebx], eax
        add     ebx, 8
        add     eax, 1 << 21
        cmp     eax, DIRECT_SIZE
        jb      .fill
        lea     eax, [edx + 3 * PAGE_SIZE + 3]
        mov     [edx + PAGE_SIZE + 511 * 8], eax

        mov     eax, cr4
        or      eax, CR4_PAE
        mov     cr4, eax
        mov     cr3, edx
        mov     ecx, IA32_EFER
        rdmsr
        or      eax, EFER_LME
        wrmsr
        mov     eax, cr0
        and     eax, ~(CR0_CD | CR0_NW | CR0_EM | CR0_TS) & 0xffffffff
        or      eax, CR0_PG | CR0_WP | CR0_MP | CR0_NE
        mov     cr0, eax
        lgdt    [.gdtr]
        jmp     KERNEL_CS:.enter

bits 64
.enter: mov     eax, KERNEL_DS
        mov     ds, eax
        mov     es, eax
        mov     ss, eax
        xor     eax, eax
        mov     fs, eax
        mov     gs, eax
        mov     rsp, boot_stack_top
        xor     ebp, ebp                        ; the end of every backtrace
        push    rbp
        mov     rax, kernel_main
        call    rax                             ; edi and esi hold the loader's arguments

align 8
.gdt:   dq      0, 0
        dq      0x00af9b000000ffff              ; KERNEL_CS: code, long, DPL 0
        dq      0x00cf93000000ffff              ; KERNEL_DS: data, DPL 0
.gdtr:  dw      $ - .gdt - 1
        dq      .gdt

.refusal:
        db      "tollgate: CPUID.80000001H:EDX.LM[bit 29] = 0: this processor has no long mode. "
        db      "Boot the i386 kernel instead.", 10, 0
.lacks: db      "tollgate: CPUID.01H:EDX lacks MSR[bit 5], CMOV[bit 15] or FXSR[bit 24], which long "
        db      "mode comes with. Boot the i386 kernel instead.", 10, 0

section .bss nobits alloc noexec write align=4096
early_pml4:
        resb    3 * PAGE_SIZE
global early_windows
early_windows:                          ; the page directory of WINDOW_BASE
        resb    PAGE_SIZE
