/* const.h - all numbers shared by C and nasm.
 *
 * Object-like macros only: the build turns each `#define NAME VALUE` into nasm's `%define`. Numbers
 * that differ between i386 and amd64 are in arch/<arch>/layout.h, read the same way. Names and
 * values are those of the Intel SDM (3A: "Control Registers", "EFLAGS Register", "Model-Specific
 * Registers") and the AMD APM 2. */
#pragma once
#define PAGE_SIZE 4096
#define STACK_SIZE 16384   /* every kernel stack; below it is an unmapped guard page */
#define PROGRAM_STATES 128 /* a power of two: table of stack states */

/* EFLAGS / RFLAGS */
#define RFLAGS_FIXED 0x2 /* bit 1 always reads 1: clean flags */
#define RFLAGS_CF 0x1
#define RFLAGS_PF 0x4
#define RFLAGS_AF 0x10
#define RFLAGS_ZF 0x40
#define RFLAGS_SF 0x80
#define RFLAGS_TF 0x100
#define RFLAGS_IF 0x200
#define RFLAGS_DF 0x400
#define RFLAGS_OF 0x800
#define RFLAGS_IOPL 0x3000
#define RFLAGS_NT 0x4000
#define RFLAGS_RF 0x10000
#define RFLAGS_VM 0x20000
#define RFLAGS_AC 0x40000
#define RFLAGS_ID 0x200000

#define CR0_MP 0x2
#define CR0_EM 0x4
#define CR0_TS 0x8
#define CR0_NE 0x20
#define CR0_WP 0x10000
#define CR0_NW 0x20000000
#define CR0_CD 0x40000000
#define CR0_PG 0x80000000
#define CR4_TSD 0x4
#define CR4_PSE 0x10
#define CR4_PAE 0x20
#define CR4_PCE 0x100
#define CR4_OSFXSR 0x200
#define CR4_OSXMMEXCPT 0x400
#define CR4_UMIP 0x800
#define CR4_FSGSBASE 0x10000
#define CR4_PCIDE 0x20000
#define CR4_OSXSAVE 0x40000
#define CR4_SMEP 0x100000
#define CR4_SMAP 0x200000

/* Model-specific registers */
#define IA32_SPEC_CTRL 0x48
#define IA32_PRED_CMD 0x49
#define IA32_ARCH_CAPABILITIES 0x10a
#define IA32_APIC_BASE 0x1b
#define IA32_SYSENTER_CS 0x174
#define IA32_SYSENTER_ESP 0x175
#define IA32_SYSENTER_EIP 0x176
#define IA32_PAT 0x277
#define AMD_HWCR 0xc0010015
#define AMD_DE_CFG 0xc0011029
#define AMD_DE_CFG_LFENCE 0x2 /* LFENCE is dispatch serialising (AMD APM 3, LFENCE) */
#define IA32_EFER 0xc0000080
#define IA32_STAR 0xc0000081
#define IA32_LSTAR 0xc0000082
#define IA32_CSTAR 0xc0000083
#define IA32_FMASK 0xc0000084
#define IA32_FS_BASE 0xc0000100
#define IA32_GS_BASE 0xc0000101
#define IA32_KERNEL_GS_BASE 0xc0000102
#define EFER_SCE 0x1
#define EFER_LME 0x100
#define EFER_NXE 0x800

/* Vectors (SDM 3A, "Exceptions and Interrupts") */
#define VECTOR_DB 1
#define VECTOR_NMI 2
#define VECTOR_BP 3
#define VECTOR_OF 4
#define VECTOR_UD 6
#define VECTOR_NM 7
#define VECTOR_DF 8
#define VECTOR_SS 12
#define VECTOR_GP 13
#define VECTOR_PF 14
#define VECTOR_MC 18
#define VECTOR_IRQ0 32
#define VECTOR_SELF 0x40     /* a trusted program's own interrupt (entry/selfint.asm) */
#define VECTOR_TIMER 0x41    /* the local APIC's timer, if the PIT does not interrupt */
#define VECTOR_SPURIOUS 0xff /* the local APIC's, for an interrupt that disappeared */
#define VECTOR_INT80 0x80    /* always a system call; the other INTs: entry/entry.def */
#define VECTOR_MF 16
#define VECTOR_XM 19
#define VECTORS 256
/* The error code of #PF (SDM 3A, "Page-Fault Exceptions") */
#define PF_PRESENT 1
#define PF_WRITE 2
#define PF_USER 4
#define PF_FETCH 16
#define NO_CALL -1 /* frame.number: not a system call, or one that is finished */

/* The local APIC's registers (SDM 3A, "Local APIC Register Address Map") */
#define APIC_ID 0x20
#define APIC_PPR 0xa0
#define APIC_EOI 0xb0
#define APIC_SVR 0xf0
#define APIC_ISR 0x100 /* interrupts in service: a bit per vector, 32 per register */
#define APIC_SVR_ENABLED 0x100
#define APIC_ICR 0x300
#define APIC_TO_SELF 0x44000 /* destination shorthand: self; assert; fixed */
#define APIC_LVT_TIMER 0x320
#define APIC_PERIODIC 0x20000
#define APIC_LVT_LINT0 0x350
#define APIC_LVT_LINT1 0x360
#define APIC_DELIVERY 0x700 /* delivery mode of a line; 0 = use its own vector */
#define APIC_NMI 0x400
#define APIC_EXTINT 0x700 /* the 8259 supplies the vector */
#define APIC_MASKED 0x10000
#define APIC_TIMER_INITIAL 0x380
#define APIC_TIMER_CURRENT 0x390
#define APIC_TIMER_DIVIDE 0x3e0
#define APIC_DIVIDE_16 3
#define IA32_X2APIC 0x800 /* MSR of register 0 in x2APIC mode; following registers follow */

/* The probe page (PROBE, entry/asm.inc): eight 64-bit time stamps, then the user half's saved
 * registers. The kernel half saves its registers in kernel memory, hidden from ring 3. */
#define PROBE_SAVE 64
#define STAMP_MP1 0
#define STAMP_MP2 8
#define STAMP_MP3 16
#define STAMP_MP4 24
#define STAMP_MP5 32
#define STAMP_MP6 40
#define STAMP_MP7 48
#define STAMP_MP8 56

/* System calls: Linux's numbers (sys.def), and Tollgate's own above them */
#define CALLS 512
#define EPERM 1 /* Linux's errno values, like all below */
#define ENOENT 2
#define ESRCH 3
#define EINTR 4
#define ENOEXEC 8
#define EBADF 9
#define ENOMEM 12
#define EFAULT 14
#define EINVAL 22
#define ENOSYS 38
/* Results of interrupted calls, never seen by programs. ERESTARTSYS: restarted unless a handler
 * without SA_RESTART runs. ERESTARTNOHAND: unless any handler runs. Otherwise -EINTR. */
#define ERESTARTSYS 512
#define ERESTARTNOHAND 514
#define THREAD_PID 0    /* offset in struct thread */
#define THREAD_MEMORY 8 /* the same */
#define THREAD_FAULTS 4 /* the same */
#define PART_ROOM 32    /* bytes of a part at a switch (arch/stacks.asm) */
#define LOOP_ROUNDS 1000

#define MULTIBOOT1_MAGIC 0x2badb002
#define MULTIBOOT2_MAGIC 0x36d76289
