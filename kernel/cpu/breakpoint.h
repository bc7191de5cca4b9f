/* breakpoint.h - one hardware breakpoint on an instruction of the kernel, to be hit once. */
#ifndef TOLLGATE_CPU_BREAKPOINT_H
#define TOLLGATE_CPU_BREAKPOINT_H

#include <stdbool.h>
#include "arch.h"

void breakpoint_set(uintptr_t address); /* 0 = none */
/* Whether a #DB is its; then it is taken off, so RF is not needed. */
bool breakpoint_hit(const struct frame *frame);
/* Whether a #DB is a single step's, which is over then. Behind SYSCALL, whose FMASK has taken TF
 * off, Bochs steps, too. */
bool breakpoint_is_step(const struct frame *frame);
extern unsigned breakpoint_hits;
extern uintptr_t breakpoint_flags; /* at the last hit */

#endif
