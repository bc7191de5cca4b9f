/* isolation.h - declarations shared by isolation.asm and isolation.c. */
#ifndef TOLLGATE_CORE_ARCH_AMD64_ISOLATION_H
#define TOLLGATE_CORE_ARCH_AMD64_ISOLATION_H

#include <stdint.h>

extern uintptr_t isolation_found; /* CR3 as the last vector found it */
void isolation_number(void);      /* gives the two tables their numbers: CR4.PCIDE */

#endif
