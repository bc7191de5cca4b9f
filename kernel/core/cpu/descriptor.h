/* descriptor.h - GDT, IDT and TSS; arch/<arch>/descriptor.c fills them. */
#pragma once
#include "arch.h"

extern const uintptr_t vector_table[VECTORS];     /* the stubs of arch/<arch>/vectors.asm */
extern const uintptr_t vector_ist_table[VECTORS]; /* amd64: stubs for gates with an IST stack */

void descriptor_init(void);

static inline unsigned dpl_of(unsigned vector)
{
        return vector == VECTOR_BP || vector == VECTOR_OF ? 3 : 0;
}

/* Sets the kernel's own gates for these vectors (INT from a program is #GP). */
struct gates;
void descriptor_usual(struct gates *gates, unsigned from, unsigned to);

/* A gate of this type that programs may use. */
#define TYPE_INTERRUPT_GATE 14
#define TYPE_TRAP_GATE 15
void descriptor_set_int(struct gates *gates, unsigned vector, unsigned type, const void *entry);
void descriptor_set_callgate(struct gates *gates, const void *entry); /* at GATE_SELECTOR */

/* A special gate for an exception (GATE in entry/exception.def): amd64 has one with an IST stack,
 * i386 the task gate. */
void descriptor_odd(struct gates *gates, unsigned vector, unsigned type, const void *entry);
void descriptor_odd_interrupt(struct gates *gates, unsigned vector, const void *entry);
void descriptor_odd_trap(struct gates *gates, unsigned vector, const void *entry);
void descriptor_odd_ist(struct gates *gates, unsigned vector, const void *entry);
void descriptor_odd_task(struct gates *gates, unsigned vector, const void *entry);

/* How well the machine is protected from a trusted program without a valid stack (kernel/toll.h,
 * toll_protect): not at all, half, or fully (entry/ways.h). */
enum protection { PROTECTION_none, PROTECTION_half, PROTECTION_whole };
extern enum protection cpu_protection;
