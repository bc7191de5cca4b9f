/* control.h - the kernel's own readings of the controls in entry/pair.asm. */
#pragma once
#include <stdint.h>

/* The difference of two stamps around a loop of this many rounds: 0, LOOP_ROUNDS or twice that
 * many. Before a process exists the stamps are written elsewhere. */
int64_t control_read(unsigned rounds);
