/* pit.h - the 8254 timer: channel 0 makes the ticks, channel 2 is a clock to compare others with.
 */
#ifndef TOLLGATE_CORE_MACHINE_PIT_H
#define TOLLGATE_CORE_MACHINE_PIT_H

#include "machine/timer.h"

#define PIT_HZ 1193182 /* what it counts */

extern const struct ticker pit_ticker; /* its counts are 16 bits: from 19 Hz on */

/* Channel 2, which nothing else uses: it counts down, 2^16 times before it begins again. */
void pit_reference_init(void);
uint16_t pit_reference(void);

#endif
