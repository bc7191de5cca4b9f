/* rate.h - how fast the TSC runs: asked of whoever knows, one after the other. */
#ifndef TOLLGATE_UNIX_CLOCK_RATE_H
#define TOLLGATE_UNIX_CLOCK_RATE_H

#include <stdbool.h>
#include <stdint.h>

struct rate {
        uint32_t multiplier; /* clock/page.h's; 0 = nobody knows, or below 34 MHz */
        const char *by;      /* who has told, or "" */
        bool pit;            /* it was the PIT, which can be asked again */
};

struct rate rate_find(bool exact); /* `exact`: the TSC counts instructions */

/* value / divisor */
uint64_t ratio(uint64_t value, uint32_t divisor);

/* In Hz, 0 = unknown: of a multiplier, and what CPUID says that the TSC's rate is. */
uint64_t rate_hertz(uint32_t multiplier);
uint64_t rate_nominal(void);

#endif
