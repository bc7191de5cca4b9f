/* cycle.h - the definition of a cycle on this machine: the core clock beside the TSC, and time that
 * no program sees.
 *
 * A register is read only where CPUID or the family promises it. If it is missing nevertheless, the
 * #GP is caught. A counter must count a loop correctly before it is trusted. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "lib/json.h"

/* Call after features_init(), with a handler for #GP. `made_up`: the TSC is taken for a counter of
 * retired instructions, which is true on an emulator that counts them. */
void cycle_init(bool made_up);

/* The counts so far, 0 where there is no counter. `core` counts the core clock and `reference` the
 * TSC's rate while the processor is not halted: core / reference = core cycles per tick. */
struct cycle_counts {
        uint64_t core, reference;
        uint64_t smis;    /* system-management interrupts */
        uint64_t retired; /* instructions, at every CPL */
};
bool cycle_counted(struct cycle_counts *counts); /* false: nothing is counted here */

/* The index-th register that should exist but does not; NULL behind the last. */
const char *cycle_lost(unsigned index);

int64_t cycle_smis(void); /* number so far; -1 = not counted */

/* Writes the fields of the run record's `clock` that these registers provide. */
void cycle_record(struct json *json);
