/* rate.h - how fast the TSC runs: every source that knows is asked. */
#ifndef TOLLGATE_UNIX_CLOCK_RATE_H
#define TOLLGATE_UNIX_CLOCK_RATE_H

#include <stdbool.h>
#include <stdint.h>

#define RATE_WINDOWS 12 /* of the PIT, at most */

struct rate {
        uint64_t hertz;                /* 0 = nobody knows */
        uint32_t multiplier;           /* clock/page.h's; 0 = below 34 MHz */
        const char *by;                /* the source, or "" */
        bool pit;                      /* the PIT counts, and can be asked again */
        const char *doubt;             /* why the rate is not certain; NULL = it is */
        uint64_t window[RATE_WINDOWS]; /* the rate by each witness, Hz: the PIT's windows ... */
        unsigned windows;
        uint64_t nominal, base, apic, rtc; /* ... CPUID.15H, CPUID.16H, the local APIC's timer and
                                            * the real-time clock; 0 = nothing, or not asked */
};

struct rate rate_find(bool exact); /* `exact`: the TSC counts instructions */

/* value / divisor */
uint64_t ratio(uint64_t value, uint32_t divisor);

/* In Hz, of a multiplier; 0 of none. */
uint64_t rate_hertz(uint32_t multiplier);

#endif
