/* descriptor.h - GDT, IDT and TSS; arch/<arch>/descriptor.c fills them. */
#ifndef TOLLGATE_CPU_DESCRIPTOR_H
#define TOLLGATE_CPU_DESCRIPTOR_H

#include <stdbool.h>
#include "arch.h"

extern const uintptr_t vector_table[VECTORS];     /* the stubs of arch/<arch>/vectors.asm */
extern const uintptr_t vector_ist_table[VECTORS]; /* amd64: those of gates with an IST stack */

void descriptor_init(void);
void descriptor_trust(bool trusted); /* the gates for a trusted program, or for one at CPL 3 */
void descriptor_set_tls(const uint64_t tls[TLS_ENTRIES]); /* of the current thread */

/* A gate of this type that programs may use (trusted ones come from CPL 0), or the kernel's own
 * again
 * (#GP from a program). */
#define TYPE_INTERRUPT_GATE 14
#define TYPE_TRAP_GATE 15
void descriptor_set_int(unsigned vector, unsigned type, const void *entry, bool trusted);
void descriptor_clear_int(unsigned vector);

/* An odd gate for an exception (GATE in entry/exception.def), and the usual one again. amd64 has
 * the one with an IST stack, i386 the task gate. */
void descriptor_odd_interrupt(unsigned vector, const void *entry);
void descriptor_odd_trap(unsigned vector, const void *entry);
void descriptor_odd_ist(unsigned vector, const void *entry);
void descriptor_odd_task(unsigned vector, const void *entry);
void descriptor_clear_odd(void);

/* What keeps a trusted program without a stack from taking the machine with it (kernel/toll.h,
 * toll_protect): gates as they would be without that, or with half of it. */
enum protection {
        PROTECTION_none,
        PROTECTION_half,
        PROTECTION_whole
};
extern enum protection cpu_protection;
void descriptor_protect(enum protection protection);

/* The call gate at GATE_SELECTOR; NULL takes it away (#GP). */
void descriptor_set_callgate(const void *entry);

#endif
