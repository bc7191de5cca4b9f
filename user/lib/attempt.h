/* attempt.h - runs code that may change all registers, and returns by a signal.
 *
 * Fault signals use a stack of their own. Code without a fault should end with UD2. */
#pragma once
#include <stdint.h>
#include "registers.h"

enum { REG_SP = REGISTERS, ATTEMPT_REGISTERS };

struct attempt {
        uintptr_t r[ATTEMPT_REGISTERS]; /* order of struct registers, then the stack pointer */
};

long attempt_init(void); /* 0, or -errno: this kernel has no signal handlers */

/* The signal by which `code` ended; *at = its instruction. */
unsigned attempt(const void *code, const struct attempt *registers, uintptr_t *at);
