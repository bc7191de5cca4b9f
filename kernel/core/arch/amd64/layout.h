/*
 * layout.h - selectors, addresses and frame offsets of amd64 (same names in i386).
 *
 * Selectors are Linux's, and their order is the processor's (SDM 2B and AMD APM 3):
 *   SYSCALL    CS = STAR[47:32],      SS = STAR[47:32] + 8
 *   SYSRET64   CS = STAR[63:48] + 16, SS = STAR[63:48] + 8;  SYSRET32 CS = STAR[63:48]
 *   SYSENTER   CS = SYSENTER_CS,      SS = SYSENTER_CS + 8
 *   SYSEXIT64  CS = SYSENTER_CS + 32, SS = SYSENTER_CS + 40; SYSEXIT32 + 16, + 24
 */
#pragma once
#define ARCH_NAME "amd64"
#define ARCH_MACHINE "x86_64" /* uname(2) */
#define WORD 8

#define KERNEL_CS 0x10
#define KERNEL_DS 0x18
#define USER_CS32 0x23
#define USER_DS 0x2b
#define USER_CS 0x33
#define USER_DS_AGAIN 0x3b /* SYSEXIT64 loads it into SS */
#define TSS_SELECTOR 0x40
#define GATE_SELECTOR 0x83 /* the call gate, RPL 3 */
#define TLS_FIRST 12       /* index of the first of Linux's three TLS descriptors */
#define TLS_ENTRIES 3
#define GDT_ENTRIES 32

#define KERNEL_BASE 0xffffffff80000000
#define DIRECT_SIZE 0x40000000         /* physical memory mapped from KERNEL_BASE: 1 GiB */
#define WINDOW_BASE 0xffffffffc0000000 /* stacks with guard pages, devices */
#define WINDOW_END 0xffffffffff400000
#define VDSO_PAGE 0xffffffffff5fe000     /* the image that programs call; functions next page */
#define VSYSCALL_PAGE 0xffffffffff600000 /* Linux's vsyscalls; unmapped (clock/image.c) */
#define CLOCK_PAGE 0xffffffffff601000    /* the time, read-only */
#define GATE_PAGE 0xffffffffff602000
#define PROBE_PAGE 0xffffffffff608000
#define PROBE_ALIAS 0xffffffffff60a000 /* the same frame, supervisor: the kernel half uses it */
#define APIC_PAGE 0xffffffffff60c000   /* the local APIC's registers, supervisor */
#define USER_TOP 0x7fffffffe000        /* the last page below the hole is never mapped (SYSRET) */
#define USER_HALF_END 0x8000000000000000
#define GATE_TRUSTED 0xffffffffff5f0000 /* the gate page of programs at CPL 0: supervisor */
#define VDSO_TRUSTED 0xffffffffff5f2000 /* supervisor copies, below the others (clock/image.c) */
#define CLOCK_TRUSTED 0xffffffffff5f4000
#define VDSO_PAGE32 0xffff8000
#define VDSO_LOWEST 0xffff8000 /* lowest address of all images */
#define CLOCK_PAGE32 0xffffa000
#define GATE_PAGE32 0xffffe000
#define PROBE_PAGE32 0xffffd000
#define USER_TOP32 0xbffff000

/* System calls that execve() has turned into calls, in trusted programs (site.c). The address's
 * upper half is the SYSCALL instruction: 0F 05. A record holds the address of its stub, its number,
 * and the address where the program continues. */
#define SITES_AT 0x050f0000
#define SITES_END 0x05100000
#define SITES_MOST 1024 /* per program */
#define SITE_RECORD 32  /* bytes; no record crosses a page's end */
#define SITE_NUMBER 8
#define SITE_BACK 16
#define SITE_STUB 32 /* bytes of a stub (entry/site_standard.asm) */
#define SITE_IN 11   /* bytes of it before the stack switch */
/* Behind the records: a page for each site whose number is in a register (site_any.asm). It holds
 * the stubs by number, and these words. */
#define ANY_AT 0x050f8000
#define ANY_CALLS 504    /* numbers */
#define ANY_CODE 4064    /* offset in the page: target of its jump, */
#define ANY_START 4072   /* start of the site, */
#define ANY_SYSCALL 4080 /* address of its SYSCALL, */
#define ANY_BACK 4088    /* and address behind it */
#define ANY_SITE 64      /* bytes of code for each */

/* Interrupt stack table */
#define IST_DF 1
#define IST_NMI 2
#define IST_DB 3
#define IST_MC 4
#define IST_GP 5
#define IST_TRAP 6
#define IST_STACKS 6
#define IST_CALL 7 /* INT 80h to 83h of trusted programs use the process's kernel stack */

/* Indices of isolation.asm's stubs: first the vectors, then these. Only vectors have a stack. */
#define ISOLATION_STUB 16 /* bytes */
#define ISOLATION_CALLGATE 256
#define ISOLATION_SYSENTER 257
#define ISOLATION_STACKED 258
#define ISOLATION_LSTAR 258
#define ISOLATION_CSTAR 259
#define ISOLATION_WAYS 260
#define ISOLATION_NUMBER 0x800 /* the PCID of the program's table, if there are numbers */

/* struct frame (arch.h proves it) */
#define FRAME_R15 0
#define FRAME_R14 8
#define FRAME_R13 16
#define FRAME_R12 24
#define FRAME_BP 32
#define FRAME_BX 40
#define FRAME_R11 48
#define FRAME_R10 56
#define FRAME_R9 64
#define FRAME_R8 72
#define FRAME_AX 80
#define FRAME_CX 88
#define FRAME_DX 96
#define FRAME_SI 104
#define FRAME_DI 112
#define FRAME_NUMBER 120
#define FRAME_IP 128
#define FRAME_CS 136
#define FRAME_FLAGS 144
#define FRAME_SP 152
#define FRAME_SS 160
#define FRAME_SIZE 168
