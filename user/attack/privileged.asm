; privileged.asm - instructions that are forbidden in ring 3, or undefined, in both widths

%include "codes.inc"

ATTACK "privileged/cli", SEGV
        cli
ATTACK "privileged/sti", SEGV
        sti
ATTACK "privileged/hlt", SEGV
        hlt
ATTACK "privileged/in", SEGV
        in      al, 0x60
ATTACK "privileged/in_dx", SEGV
        mov     edx, 0xcfc
        in      eax, dx
ATTACK "privileged/out", SEGV
        out     0x64, al
ATTACK "privileged/out_dx", SEGV
        mov     edx, 0x64
        mov     al, 0xfe                ; the keyboard controller's reset
        out     dx, al
ATTACK "privileged/ins", SEGV
        mov     xdi, memory
        mov     edx, 0x1f0
        insb
ATTACK "privileged/rep_outs", SEGV
        mov     xsi, memory
        mov     edx, 0x1f0
        mov     ecx, 1
        rep outsd
ATTACK "privileged/lgdt", SEGV
        lgdt    [memory]
ATTACK "privileged/lidt", SEGV
        lidt    [memory]
ATTACK "privileged/lldt", SEGV
        xor     eax, eax
        lldt    ax
ATTACK "privileged/ltr", SEGV
        mov     eax, 0x40
        ltr     ax
ATTACK "privileged/lmsw", SEGV
        mov     eax, 1
        lmsw    ax
ATTACK "privileged/clts", SEGV
        clts
ATTACK "privileged/read_cr0", SEGV
        mov     xax, cr0
ATTACK "privileged/write_cr0", SEGV
        xor     eax, eax
        mov     cr0, xax
ATTACK "privileged/read_cr2", SEGV
        mov     xax, cr2
ATTACK "privileged/write_cr3", SEGV
        xor     eax, eax
        mov     cr3, xax
ATTACK "privileged/write_cr4", SEGV
        xor     eax, eax
        mov     cr4, xax
ATTACK "privileged/cr1", SEGV | ILL
        db      0x0f, 0x20, 0xc8        ; mov eax, cr1: does not exist
ATTACK "privileged/read_dr0", SEGV
        mov     xax, dr0
ATTACK "privileged/write_dr7", SEGV
        mov     eax, 0x2000             ; GD
        mov     dr7, xax
ATTACK "privileged/rdmsr", SEGV
        mov     ecx, 0xc0000080
        rdmsr
ATTACK "privileged/wrmsr", SEGV
        mov     ecx, 0xc0000080
        xor     eax, eax
        xor     edx, edx
        wrmsr
ATTACK "privileged/rdpmc", SEGV         ; CR4.PCE is 0 (cpu/protect.c)
        xor     ecx, ecx
        rdpmc
ATTACK "privileged/invd", SEGV
        invd
ATTACK "privileged/wbinvd", SEGV
        wbinvd
ATTACK "privileged/invlpg", SEGV
        invlpg  [memory]
ATTACK "privileged/sysexit", SEGV | ILL ; AMD, and so QEMU: #UD in long mode
        xor     ecx, ecx
        xor     edx, edx
        sysexit
ATTACK "privileged/sysret", SEGV | ILL  ; Intel: #UD outside 64-bit mode
        xor     ecx, ecx
        sysret
ATTACK "privileged/xsetbv", SEGV | ILL
        xor     ecx, ecx
        xor     edx, edx
        mov     eax, 1
        db      0x0f, 0x01, 0xd1
ATTACK "privileged/monitor", ILL
        xor     ecx, ecx
        xor     edx, edx
        mov     xax, memory
        monitor
ATTACK "privileged/mwait", ILL
        xor     ecx, ecx
        xor     eax, eax
        mwait
ATTACK "privileged/clac", ILL
        clac
ATTACK "privileged/stac", ILL
        stac
ATTACK "privileged/rsm", ILL
        rsm
; These two call a hypervisor, if there is one.
ATTACK "privileged/vmcall", ILL | SEGV | LIVES
        mov     eax, -1
        vmcall
ATTACK "privileged/vmmcall", ILL | SEGV | LIVES
        mov     eax, -1
        vmmcall
ATTACK "privileged/vmxon", ILL | SEGV
        vmxon   [memory]
ATTACK "privileged/vmlaunch", ILL | SEGV
        vmlaunch
ATTACK "privileged/vmrun", ILL | SEGV
        xor     eax, eax
        vmrun
ATTACK "privileged/stgi", ILL | SEGV
        stgi
ATTACK "privileged/clgi", ILL | SEGV
        clgi
; UMIP forbids these if the processor has it (Linux emulates them with constants).
ATTACK "privileged/sgdt", LIVES | SEGV
        sgdt    [memory]
ATTACK "privileged/sidt", LIVES | SEGV
        sidt    [memory]
ATTACK "privileged/sldt", LIVES | SEGV
        sldt    ax
ATTACK "privileged/str", LIVES | SEGV
        str     ax
ATTACK "privileged/smsw", LIVES | SEGV
        smsw    ax

ATTACK "undefined/ud0", ILL
        db      0x0f, 0xff, 0xc0
ATTACK "undefined/ud1", ILL
        db      0x0f, 0xb9, 0xc0
ATTACK "undefined/ud2", ILL
        ud2
ATTACK "undefined/lock_nop", ILL
        db      0xf0, 0x90
ATTACK "undefined/lock_register", ILL
        db      0xf0, 0x01, 0xc0
ATTACK "undefined/fifteen_prefixes", SEGV ; an instruction has at most 15 bytes
        times 15 db 0x66
        nop
ATTACK "undefined/mov_cs", ILL
        db      0x8e, 0xc8              ; mov cs, eax
ATTACK "undefined/segment_6", ILL
        db      0x8e, 0xf0
ATTACK "undefined/int1", TRAP | ILL     ; unknown to QEMU 7.2
        db      0xf1
ATTACK "undefined/int3", TRAP
        int3
ATTACK "undefined/divide_by_0", FPE
        xor     ecx, ecx
        div     ecx
ATTACK "undefined/divide_overflow", FPE
        mov     edx, -1
        mov     ecx, 1
        div     ecx
ATTACK "undefined/idiv_minimum", FPE
        mov     eax, 1 << 31
        cdq
        mov     ecx, -1
        idiv    ecx

; Flags that POPF may or may not set; entries.c enters the kernel with them.
ATTACK "flags/popf_all", TRAP           ; TF is one of the set flags
        push    -1
        popfx
        nop
ATTACK "flags/popf_all_but_tf", LIVES
        push    ~0x100
        popfx
        push    2
        popfx
ATTACK "flags/pop_ss_tf", TRAP | ILL | SEGV | BUS
        mov     ecx, ss
        push    0x302
        popfx
        mov     ss, ecx
        nop
        nop

; IRET to forbidden targets. (QEMU 7.2 reads the frame with kernel rights: #PF with SMAP.)
%macro IRET_TO 5                        ; ss sp flags cs ip
        mov     xax, %1
        push    xax
        mov     xax, %2
        push    xax
        mov     xax, %3
        push    xax
        mov     xax, %4
        push    xax
        mov     xax, %5
        push    xax
        iretx
%endmacro
ATTACK "iret/kernel_cs", SEGV | BUS
        IRET_TO 0x18, memory, 0x202, 0x10, landing
ATTACK "iret/kernel_cs_i386", SEGV | BUS
        IRET_TO 0x68, memory, 0x202, 0x60, landing
ATTACK "iret/null_cs", SEGV | BUS
        IRET_TO 0x2b, memory, 0x202, 0, landing
ATTACK "iret/null_ss", SEGV | BUS | ILL ; i386 does not switch stacks here and reaches UD2
        IRET_TO 0, memory, 0x202, [own_cs], landing
ATTACK "iret/nt", SEGV | BUS            ; long mode: #GP; else a task switch to the link in the TSS
        push    0x4002
        popfx
        IRET_TO [own_ss], memory, 0x202, [own_cs], landing
ATTACK "iret/vm", SEGV | BUS | ILL | TRAP ; CPL 3 cannot set VM, but QEMU 7.2 allows it
        IRET_TO [own_ss], memory, 0x20202, [own_cs], landing
ATTACK "iret/iopl", SEGV | BUS | ILL
        IRET_TO [own_ss], memory, 0x3202, [own_cs], landing
ATTACK "iret/tf", SEGV | BUS | ILL | TRAP
        IRET_TO [own_ss], memory, 0x302, [own_cs], landing
ATTACK "iret/rf_ac_nt", SEGV | BUS | ILL
        IRET_TO [own_ss], memory, 0x54202, [own_cs], landing
ATTACK "iret/no_stack", SEGV | BUS
        xor     esp, esp
        iretx
        ret
landing:
        ud2

section .data
extern own_cs, own_ss
section .note.GNU-stack noalloc noexec nowrite progbits
