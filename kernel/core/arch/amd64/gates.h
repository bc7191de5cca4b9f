/* gates.h - IDT gates, call gate and SYSCALL target for programs of one origin, amd64. They are
 * built once, and exchanged at a switch between origins. */
#pragma once
#include <stdbool.h>
#include "cpu/cpu.h"
#include "cpu/msr.h"

struct gate {
        uint64_t low, high;
};

struct gates {
        struct table_register idtr; /* for LIDT */
        struct gate idt[VECTORS];
        struct gate callgate;   /* at GATE_SELECTOR; 0 = closed (#GP) */
        uintptr_t lstar, cstar; /* IA32_LSTAR, IA32_CSTAR */
        bool trusted;           /* for programs at CPL 0: every vector has an IST stack */
};

extern char gate_image[], gate32_image[], gate_trusted_image[];

/* Address in the kernel's image of code that is linked at `at`. */
static inline uint8_t *image_of(uintptr_t at)
{
        if (at >= GATE_PAGE)
                return (uint8_t *)(at - GATE_PAGE + (uintptr_t)gate_image);
        if (at >= GATE_TRUSTED)
                return (uint8_t *)(at - GATE_TRUSTED + (uintptr_t)gate_trusted_image);
        if (at < KERNEL_BASE)
                return (uint8_t *)(at - GATE_PAGE32 + (uintptr_t)gate32_image);
        return (uint8_t *)at;
}

extern uint64_t gdt[GDT_ENTRIES];

/* Sets an MSR to an address in the kernel's text, whose upper half is all ones. */
static inline __attribute__((always_inline)) void msr_point(uint32_t msr, uint64_t *kept,
                                                            uintptr_t entry)
{
        __asm__ volatile("wrmsr" : : "c"(msr), "a"((uint32_t)entry), "d"(~0u) : "memory");
        *kept = entry;
}

/* Exchanges one origin's gates for another's; one of the two may be `compat`. Both sets are open,
 * and their addresses have the same upper half. */
static inline __attribute__((always_inline)) void gates_exchange(const struct gates *gates,
                                                                 bool compat)
{
        __asm__ volatile("lidt %0" : : "m"(gates->idtr));
        gdt[GATE_SELECTOR >> 3] = gates->callgate.low;
        msr_point(IA32_LSTAR, &msrs_kept.IA32_LSTAR_kept, gates->lstar);
        if (compat)
                msr_point(IA32_CSTAR, &msrs_kept.IA32_CSTAR_kept, gates->cstar);
}

/* Loads them, whatever was loaded before. */
static inline void gates_load(const struct gates *gates)
{
        gdt[(GATE_SELECTOR >> 3) + 1] = gates->callgate.high;
        gates_exchange(gates, true);
}
