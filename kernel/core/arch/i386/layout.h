/* layout.h - selectors, addresses and frame offsets of i386 (same names in amd64).
 *
 * Selectors are Linux's (arch/x86/include/asm/segment.h), so binaries that compare them agree.
 * Their order is the processor's: SYSENTER takes CS = SYSENTER_CS, SS = +8; SYSEXIT CS = +16,
 * SS = +24 (SDM 2B, SYSENTER, SYSEXIT). Legacy SYSRET takes CS = STAR[63:48], SS = +8. */
#pragma once
#define ARCH_NAME "i386"
#define ARCH_MACHINE "i686" /* uname(2) */
#define WORD 4

#define KERNEL_CS 0x60
#define KERNEL_DS 0x68
#define USER_CS 0x73
#define USER_DS 0x7b
#define TSS_SELECTOR 0x80
#define GATE_SELECTOR 0x93          /* the call gate, RPL 3 */
#define TSS_EXCEPTION_SELECTOR 0xe0 /* selector of the task-gate rows of exception.def */
#define TSS_NMI_SELECTOR 0xe8
#define TSS_DB_SELECTOR 0xf0
#define TSS_DF_SELECTOR 0xf8
#define TLS_FIRST 6 /* index of the first of Linux's three TLS descriptors */
#define TLS_ENTRIES 3
#define GDT_ENTRIES 32

#define KERNEL_BASE 0xc0000000
#define DIRECT_SIZE 0x30000000 /* physical memory mapped from KERNEL_BASE: 768 MiB */
#define WINDOW_BASE 0xf0000000 /* stacks with guard pages, devices */
#define WINDOW_END 0xff800000
#define VDSO_PAGE 0xffff8000  /* the image that programs call */
#define CLOCK_PAGE 0xffffa000 /* the time, read-only */
#define VSYSCALL_PAGE 0       /* only 64-bit programs have one */
#define GATE_PAGE 0xffffe000
#define PROBE_PAGE 0xffffd000
#define PROBE_ALIAS 0xffffb000 /* the same frame, for the kernel half: a supervisor page (SMAP) */
#define APIC_PAGE 0xffff7000   /* the local APIC's registers, a supervisor page */
#define USER_TOP 0xbffff000    /* the page below the kernel is never mapped */
#define USER_HALF_END KERNEL_BASE
#define VDSO_TRUSTED 0xffff4000 /* supervisor twins */
#define CLOCK_TRUSTED 0xffff6000
#define VDSO_LOWEST 0xffff4000  /* lowest address of both images */
#define GATE_TRUSTED 0xffff2000 /* the gate page of programs at CPL 0: supervisor */

/* struct tss, struct frame (arch.h proves it) */
#define TSS_IP 32
#define TSS_FLAGS 36
#define TSS_AX 40
#define TSS_SP 56
#define FRAME_ES 0
#define FRAME_DS 4
#define FRAME_DI 8
#define FRAME_SI 12
#define FRAME_BP 16
#define FRAME_BX 24
#define FRAME_DX 28
#define FRAME_CX 32
#define FRAME_AX 36
#define FRAME_NUMBER 40
#define FRAME_IP 44
#define FRAME_CS 48
#define FRAME_FLAGS 52
#define FRAME_SP 56
#define FRAME_SS 60
#define FRAME_SIZE 64
