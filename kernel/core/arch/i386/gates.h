/* gates.h - IDT gates, call gate and SYSCALL target for programs of one origin, i386. They are
 * built once, and exchanged at a switch between origins. */
#pragma once
#include <stdbool.h>
#include "cpu/cpu.h"
#include "cpu/msr.h"

struct gates {
        struct table_register idtr; /* for LIDT */
        uint64_t idt[VECTORS];
        uint64_t callgate; /* at GATE_SELECTOR; 0 = closed (#GP) */
        uint32_t syscall;  /* IA32_STAR's lower half; 0 = closed (#UD) */
        bool trusted;      /* for programs at CPL 0 */
};

extern char gate_image[], gate_trusted_image[];

/* Address in the kernel's image of code that is linked at `at`. */
static inline uint8_t *image_of(uintptr_t at)
{
        if (at >= GATE_PAGE)
                return (uint8_t *)(at - GATE_PAGE + (uintptr_t)gate_image);
        if (at >= GATE_TRUSTED)
                return (uint8_t *)(at - GATE_TRUSTED + (uintptr_t)gate_trusted_image);
        return (uint8_t *)at;
}

extern uint64_t gdt[GDT_ENTRIES];
void syscall_point(uint32_t entry); /* protect.c */

/* Exchanges one origin's gates for another's: SYSCALL is closed in both. */
static inline __attribute__((always_inline)) void
gates_exchange(const struct gates *gates, bool compat __attribute__((unused)))
{
        __asm__ volatile("lidt %0" : : "m"(gates->idtr));
        gdt[GATE_SELECTOR >> 3] = gates->callgate;
}

/* Loads them, whatever was loaded before. */
static inline void gates_load(const struct gates *gates)
{
        gates_exchange(gates, false);
        if (gates->syscall != (uint32_t)msrs_kept.IA32_STAR_kept)
                syscall_point(gates->syscall);
}
