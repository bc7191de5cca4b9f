/*
 * context.h - what the processor holds of a thread beside the frame, i386: FPU and segments (DS and
 * ES are in the frame).
 */
#ifndef TOLLGATE_CONTEXT_H
#define TOLLGATE_CONTEXT_H

#include <stdbool.h>
#include "arch.h"
#include "cpu/cpu.h"
#include "cpu/descriptor.h"
#include "cpu/features.h"

struct segments {
        union {
                uint16_t each[2]; /* fs gs */
                uint32_t selectors;
        };
        uint64_t tls[TLS_ENTRIES]; /* descriptors of the GDT */
        bool special;              /* one of them is not 0 */
};

/* What INT and the call gate load from the TSS */
static inline void stack_set(uintptr_t top)
{
        tss_main.sp0 = top;
}

static inline void space_load(uintptr_t root)
{
        descriptor_set_space(root);
        cr3_write(root);
}

static inline void fpu_save(uint8_t *area)
{
        if (feature_has(FEATURE_FXSR))
                __asm__ volatile("fxsave %0" : "=m"(*(uint8_t(*)[512])area));
        else
                __asm__ volatile("fnsave %0; fwait" : "=m"(*(uint8_t(*)[512])area));
}

static inline void fpu_load(const uint8_t *area)
{
        if (feature_has(FEATURE_FXSR))
                __asm__ volatile("fxrstor %0" : : "m"(*(const uint8_t(*)[512])area));
        else
                __asm__ volatile("frstor %0" : : "m"(*(const uint8_t(*)[512])area));
}

static inline void segments_save(struct segments *to)
{
        __asm__ volatile("mov %%fs, %0; mov %%gs, %1" : "=m"(to->each[0]), "=m"(to->each[1]));
}

/* `from`: what the processor holds now. */
void segments_change(const struct segments *to); /* segments.c */
static inline void segments_load(const struct segments *from, const struct segments *to)
{
        if (from->selectors != to->selectors || from->special || to->special)
                segments_change(to);
}

#endif
