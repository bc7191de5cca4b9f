/*
 * cycle.h - what a cycle is here: the core's own clock beside the TSC, and what takes time that no
 * program sees.
 *
 * A register is read only where CPUID or the family names it, and one that is not there for all
 * that is said, not died of. A counter must count a loop before it is believed.
 */
#ifndef TOLLGATE_TOLL_CYCLE_H
#define TOLLGATE_TOLL_CYCLE_H

#include <stdbool.h>
#include <stdint.h>
#include "lib/json.h"

/* After features_init(), with a handler for #GP. `made_up`: the TSC is called a counter of retired
 * instructions, which it is where an emulator counts them. */
void cycle_init(bool made_up);

/* The counts so far, 0 where there is no counter. While the processor computes, `core` counts its
 * own clock and `reference` the TSC's: core / reference core cycles are a tick. */
struct cycle_counts {
        uint64_t core, reference;
        uint64_t smis;    /* system-management interrupts */
        uint64_t retired; /* instructions, at every CPL */
};
bool cycle_counted(struct cycle_counts *counts); /* false: nothing of it is counted here */

/* The registers that are named and not there, one after the other; behind the last one NULL. */
const char *cycle_lost(unsigned index);

int64_t cycle_smis(void); /* so far; -1 = nobody counts them */

/* Writes those fields of the run record's `clock` that these registers give. */
void cycle_record(struct json *json);

#endif
