/* context.h - a thread's processor state outside the frame, i386: FPU and segments (DS and ES are
 * in the frame). */
#pragma once
#include <stdbool.h>
#include "arch.h"
#include "cpu/bits.h"
#include "cpu/cpu.h"
#include "cpu/features.h"
#include "cpu/protect.h"

struct segments {
        union {
                uint16_t each[2]; /* fs gs */
                uint32_t selectors;
        };
        uint64_t tls[TLS_ENTRIES]; /* GDT descriptors */
        bool special, described;   /* one of them is not 0 */
};

/* Set the stack that INT and the call gate load from the TSS */
static inline void stack_set(uintptr_t top)
{
        tss_main.sp0 = top;
}

/* Also sets the TSS: a task switch loads CR3 from there, and never saves it. */
static inline void space_load(uintptr_t root)
{
        tss_main.cr3 = tss_nmi.cr3 = tss_debug.cr3 = tss_double_fault.cr3 = root;
        cr3_write(root);
}

static inline void fpu_save(uint8_t *area)
{
        if (__builtin_expect(feature_has(FEATURE_FXSR), true))
                __asm__ volatile("fxsave %0" : "=m"(*(uint8_t(*)[512])area));
        else
                __asm__ volatile("fnsave %0; fwait" : "=m"(*(uint8_t(*)[512])area));
}

static inline void fpu_load(const uint8_t *area)
{
        if (__builtin_expect(feature_has(FEATURE_FXSR), true)) {
                fpu_pointers_forget();
                __asm__ volatile("fxrstor %0" : : "m"(*(const uint8_t(*)[512])area));
        } else {
                __asm__ volatile("frstor %0" : : "m"(*(const uint8_t(*)[512])area));
        }
}

static inline void segments_save(struct segments *to)
{
        __asm__ volatile("mov %%fs, %0; mov %%gs, %1" : "=m"(to->each[0]), "=m"(to->each[1]));
}

void segments_change(const struct segments *to); /* segments.c */

/* Loads the segment registers that differ between the two. */
static inline void segments_switch(const struct segments *from, const struct segments *to)
{
        if (from->selectors != to->selectors || any(from->described, to->described))
                segments_change(to);
}

/* Resumes where `load` was saved (arch/stacks.asm). */
static inline void stack_switch(void **save, void **load)
{
        __asm__ volatile("push %%ebp; call stacks_switch; pop %%ebp"
                         : "+a"(save), "+d"(load)
                         :
                         : "ebx", "ecx", "esi", "edi", "memory", "cc");
}
