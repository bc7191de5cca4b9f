/*
 * gates.h - what programs of one origin find in the IDT, the GDT and behind SYSCALL, i386: made
 * once, and exchanged at a switch between origins.
 */
#ifndef TOLLGATE_CORE_ARCH_I386_GATES_H
#define TOLLGATE_CORE_ARCH_I386_GATES_H

#include <stdbool.h>
#include "arch.h"
#include "cpu/msr.h"

struct gates {
        struct __attribute__((packed)) {
                uint16_t limit;
                const void *base;
        } idtr; /* for LIDT */
        uint64_t idt[VECTORS];
        uint64_t callgate; /* GATE_SELECTOR's; 0 = shut (#GP) */
        uint32_t syscall;  /* IA32_STAR's lower half; 0 = shut (#UD) */
        bool trusted;      /* for programs at CPL 0 */
};

extern uint64_t gdt[GDT_ENTRIES];
void syscall_point(uint32_t entry); /* protect.c */

/* From those of one origin to those of another: SYSCALL is shut in both. */
static inline __attribute__((always_inline)) void
gates_exchange(const struct gates *gates, bool compat __attribute__((unused)))
{
        __asm__ volatile("lidt %0" : : "m"(gates->idtr));
        gdt[GATE_SELECTOR >> 3] = gates->callgate;
}

/* Whatever was there before. */
static inline void gates_load(const struct gates *gates)
{
        gates_exchange(gates, false);
        if (gates->syscall != (uint32_t)msrs_kept.IA32_STAR_kept)
                syscall_point(gates->syscall);
}

#endif
