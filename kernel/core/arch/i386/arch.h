/* arch.h - i386 for C code: the frame, page tables and registers. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include "const.h"
#include "layout.h"

/* The registers that an entry saves on the kernel stack (arch/i386/frame.inc). `number` is the call
 * number, or the error code of an exception. From the kernel the processor pushes no sp and ss. */
struct frame {
        uint32_t es, ds;
        uint32_t di, si, bp, pushad_sp, bx, dx, cx, ax;
        uint32_t number;
        uint32_t ip, cs, flags, sp, ss;
};
_Static_assert(offsetof(struct frame, di) == FRAME_DI, "frame");

/* The task-state segment, 32 bits (SDM 3A, "Task-State Segment (TSS)"). */
struct tss {
        uint16_t link, reserved_link;
        uint32_t sp0;
        uint16_t ss0, reserved_ss0;
        uint32_t sp1, ss1, sp2, ss2;
        uint32_t cr3, ip, flags;
        uint32_t ax, cx, dx, bx, sp, bp, si, di;
        uint32_t es, cs, ss, ds, fs, gs, ldt;
        uint16_t trap, iomap_base;
};
_Static_assert(sizeof(struct tss) == 104, "tss");
_Static_assert(offsetof(struct tss, ip) == TSS_IP, "tss");
_Static_assert(offsetof(struct tss, flags) == TSS_FLAGS, "tss");
_Static_assert(offsetof(struct tss, ax) == TSS_AX, "tss");
_Static_assert(offsetof(struct tss, sp) == TSS_SP, "tss");
extern struct tss tss_main, tss_nmi, tss_debug, tss_double_fault;
const struct tss *task_interrupted(void); /* the task that the #DB task will return to */

/* Page tables: two levels of 1024 entries, 4 KiB pages, no NX (SDM 3A, "32-Bit Paging"). */
typedef uint32_t pte_t;
#define PAGE_LEVELS 2
#define PAGE_INDEX_BITS 10
#define PTE_ADDRESS 0xfffff000u
#define PTE_NX 0u

static inline uint64_t msr_read(uint32_t msr)
{
        uint64_t value;
        __asm__ volatile("rdmsr" : "=A"(value) : "c"(msr));
        return value;
}

static inline void wrmsr(uint32_t msr, uint64_t value)
{
        __asm__ volatile("wrmsr" : : "c"(msr), "A"(value) : "memory");
}

/* REP over whole words: zeros, a copy */
static inline void words_clear(void *to, size_t words)
{
        __asm__ volatile("rep stosl" : "+D"(to), "+c"(words) : "a"(0l) : "memory");
}

static inline void words_copy(void *to, const void *from, size_t words)
{
        __asm__ volatile("rep movsl" : "+D"(to), "+S"(from), "+c"(words) : : "memory");
}

/* Overwrite the caller-saved registers with garbage. */
static inline void registers_spoil(void)
{
        __asm__ volatile("mov $0x5a5a5a5a, %%eax; mov %%eax, %%ecx; mov %%eax, %%edx"
                         :
                         :
                         : "eax", "ecx", "edx", "cc");
}

static inline uint64_t tsc_read(void)
{
        uint64_t value;
        __asm__ volatile("rdtsc" : "=A"(value));
        return value;
}

/* The registers that only this architecture has and no call changes (toll/checksum.c) */
static inline uint32_t registers_still(void)
{
        return 0;
}

/* Features that this kernel needs beyond those that start.asm has checked (main.c) */
#define ARCH_NEEDS                                                                                 \
        {                                                                                          \
                FEATURE_PSE, "the first map has pages of 4 MiB"                                    \
        }
