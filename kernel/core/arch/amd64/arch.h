/* arch.h - amd64 for C code: the frame, page tables and registers. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include "const.h"
#include "layout.h"

/* The registers that an entry saves on the kernel stack (arch/amd64/frame.inc). `number` is the
 * call number, or the error code of an exception. */
struct frame {
        uint64_t r15, r14, r13, r12, bp, bx, r11, r10, r9, r8;
        uint64_t ax, cx, dx, si, di;
        uint64_t number;
        uint64_t ip, cs, flags, sp, ss;
};
_Static_assert(offsetof(struct frame, bp) == FRAME_BP, "frame");

/* The task-state segment, 64 bits (SDM 3A, "Task Management in 64-bit Mode"). */
struct tss {
        uint32_t reserved_0;
        uint64_t sp0, sp1, sp2;
        uint64_t reserved_28;
        uint64_t ist[7];
        uint64_t reserved_92;
        uint16_t reserved_100, iomap_base;
} __attribute__((packed));
_Static_assert(sizeof(struct tss) == 104, "tss");
extern struct tss tss_main;

/* Page tables: four levels of 512 entries, 4 KiB pages (SDM 3A, "4-Level Paging"). */
typedef uint64_t pte_t;
#define PAGE_LEVELS 4
#define PAGE_INDEX_BITS 9
#define PTE_ADDRESS 0x000ffffffffff000ul
#define PTE_NX page_no_execute /* bit 63 where CPUID has NX */
extern pte_t page_no_execute;

static inline uint64_t msr_read(uint32_t msr)
{
        uint32_t low, high;
        __asm__ volatile("rdmsr" : "=a"(low), "=d"(high) : "c"(msr));
        return (uint64_t)high << 32 | low;
}

static inline void wrmsr(uint32_t msr, uint64_t value)
{
        __asm__ volatile("wrmsr"
                         :
                         : "c"(msr), "a"((uint32_t)value), "d"((uint32_t)(value >> 32))
                         : "memory");
}

/* REP over whole words: zeros, a copy */
static inline void words_clear(void *to, size_t words)
{
        __asm__ volatile("rep stosq" : "+D"(to), "+c"(words) : "a"(0l) : "memory");
}

static inline void words_copy(void *to, const void *from, size_t words)
{
        __asm__ volatile("rep movsq" : "+D"(to), "+S"(from), "+c"(words) : : "memory");
}

/* Overwrite the caller-saved registers with garbage. */
static inline void registers_spoil(void)
{
        __asm__ volatile(
                "mov $0x5a5a5a5a, %%eax; mov %%rax, %%rcx; mov %%rax, %%rdx; mov %%rax, %%rsi;"
                "mov %%rax, %%rdi; mov %%rax, %%r8; mov %%rax, %%r9; mov %%rax, %%r10;"
                "mov %%rax, %%r11"
                :
                :
                : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "cc");
}

static inline uint64_t tsc_read(void)
{
        uint32_t low, high;
        __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
        return (uint64_t)high << 32 | low;
}

/* The registers that only this architecture has and no call changes (toll/checksum.c) */
static inline uint32_t registers_still(void)
{
        return (uint32_t)msr_read(IA32_KERNEL_GS_BASE);
}

/* Features that this kernel needs beyond those that start.asm has checked (main.c) */
#define ARCH_NEEDS                                                                                 \
        {                                                                                          \
                FEATURE_SYSCALL, "programs of 64 bits make their calls by SYSCALL. Boot the i386 " \
                                 "kernel instead"                                                  \
        }
