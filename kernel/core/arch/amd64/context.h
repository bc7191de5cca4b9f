/* context.h - a thread's processor state outside the frame, amd64: FPU and segments.
 *
 * A selector in FS or GS hides the base in its MSR, and loading a selector destroys that base. So
 * both are switched together, and only where two threads differ in them. */
#pragma once
#include <stdbool.h>
#include "arch.h"
#include "cpu/bits.h"
#include "cpu/cpu.h"
#include "cpu/msr.h"
#include "cpu/protect.h"

struct segments {
        union {
                uint16_t each[4]; /* ds es fs gs */
                uint64_t selectors;
        };
        uint64_t fs_base, gs_base;
        uint64_t tls[TLS_ENTRIES]; /* GDT descriptors, for 32-bit programs */
        bool special;              /* a base or a descriptor is not 0 */
        bool described;            /* a descriptor is not 0 */
};

/* Set the stack that INT and the call gate load from the TSS */
static inline void stack_set(uintptr_t top)
{
        tss_main.sp0 = top;
        tss_main.ist[IST_CALL - 1] = top;
}

static inline void space_load(uintptr_t root)
{
        cr3_write(root);
}

static inline void fpu_save(uint8_t *area)
{
        __asm__ volatile("fxsaveq %0" : "=m"(*(uint8_t(*)[512])area));
}

static inline void fpu_load(const uint8_t *area)
{
        fpu_pointers_forget();
        __asm__ volatile("fxrstorq %0" : : "m"(*(const uint8_t(*)[512])area));
}

static inline void segments_save(struct segments *to)
{
        __asm__ volatile("mov %%ds, %0; mov %%es, %1; mov %%fs, %2; mov %%gs, %3"
                         : "=m"(to->each[0]), "=m"(to->each[1]), "=m"(to->each[2]),
                           "=m"(to->each[3]));
}

/* A null selector's base is the MSR's; any other's is its descriptor's. */
static inline void base_load(uint16_t selector, uint32_t msr, const uint64_t *base)
{
        const uint32_t *half = (const uint32_t *)base;
        if (selector < 4)
                __asm__ volatile("wrmsr" : : "c"(msr), "a"(half[0]), "d"(half[1]) : "memory");
}

void segments_change(const struct segments *to); /* segments.c */
void segments_load(const struct segments *to);   /* segments_switch() for set.c */

/* A program without descriptors of its own has only the bases of its MSRs. It may have loaded a
 * null selector since, which leaves an unknown base in FS, so FS is always written. */
static inline void segments_switch(const struct segments *from, const struct segments *to)
{
        if (from->selectors != to->selectors || any(from->described, to->described)) {
                segments_change(to);
                return;
        }
        base_load(to->each[2], IA32_FS_BASE, &to->fs_base);
        if (from->gs_base | to->gs_base)
                base_load(to->each[3], IA32_GS_BASE, &to->gs_base);
}

/* Resumes where `load` was saved (arch/stacks.asm). */
static inline void stack_switch(void **save, void **load)
{
        __asm__ volatile("push %%rbp; call stacks_switch; pop %%rbp"
                         : "+a"(save), "+d"(load)
                         :
                         : "rbx", "rcx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13",
                           "r14", "r15", "memory", "cc");
}
