/* protect.h - processor state that the kernel sets up: protections, the FPU, the fast ways in. */
#ifndef TOLLGATE_PROTECT_H
#define TOLLGATE_PROTECT_H

#include <stdbool.h>
#include "cpu/features.h"

void no_execute_init(void);        /* before space_init: PTE_NX has a meaning */
void protect_init(void);           /* after it: SMEP, SMAP, UMIP, SSE */
void fpu_reset(void);              /* the processor has what a program starts with */
void fpu_clean(uint8_t area[512]); /* what a program starts with, as FXSAVE or FNSAVE has it */
uint32_t msr_try(uint32_t msr, uint32_t set); /* arch/<arch>/switch.asm */

/* Points SYSCALL at `entry` for programs of `mode`; NULL = it fails with -ENOSYS or #UD. `chosen`
 * tells a selected row from the default. */
void syscall_arm(const void *entry, enum mode mode, bool chosen);

#endif
