/* descriptor.h - GDT, IDT and TSS; arch/<arch>/descriptor.c fills them. */
#ifndef TOLLGATE_DESCRIPTOR_H
#define TOLLGATE_DESCRIPTOR_H

#include <stdbool.h>
#include "arch.h"
#include "entry/entry.h"

extern const uintptr_t vector_table[VECTORS]; /* the stubs of arch/<arch>/vectors.asm */

void descriptor_init(void);
void descriptor_set_tls(const uint64_t tls[TLS_ENTRIES]); /* of the current thread */

/* An interrupt gate that programs may use (trusted ones come from CPL 0), or the kernel's own again
 * (#GP from a program). */
void descriptor_set_int(unsigned vector, const void *entry, bool trusted);
void descriptor_clear_int(unsigned vector);

/* An odd gate for an exception, and the usual one again. `kind` is one of GATE_KINDS (origins.h).
 */
void descriptor_set_exception(unsigned vector, enum variant kind, const void *entry);
void descriptor_clear_exception(void);

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
