/* rate.h - the TSC's rate, by every source that has it. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#define RATE_WINDOWS 12 /* PIT windows, at most */

struct rate {
        uint64_t hertz;                /* 0 = unknown */
        uint32_t multiplier;           /* multiplier for clock/page.h; 0 = below 34 MHz */
        const char *by;                /* the source, or "" */
        bool pit;                      /* the PIT counts, and can be read again */
        const char *doubt;             /* why the rate is uncertain; NULL = it is certain */
        uint64_t window[RATE_WINDOWS]; /* rate by each source, Hz: the PIT's windows ... */
        unsigned windows;
        uint64_t nominal, base, apic, rtc; /* ... CPUID.15H, CPUID.16H, the local APIC's timer and
                                            * the real-time clock; 0 = none, or not read */
};

struct rate rate_find(bool exact); /* `exact`: the TSC counts instructions */

/* value / divisor */
uint64_t ratio(uint64_t value, uint32_t divisor);

/* Hz for a multiplier; 0 for 0. */
uint64_t rate_hertz(uint32_t multiplier);
