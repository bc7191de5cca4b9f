/* pit.h - the 8254 timer: channel 0 makes the ticks, channel 2 is a reference for other clocks. */
#pragma once
#include "machine/timer.h"

#define PIT_HZ 1193182 /* its counting rate */

extern const struct ticker pit_ticker; /* it counts 16 bits: 19 Hz at least */

/* Channel 2, used by nothing else: counts down from 2^16 again and again. */
void pit_reference_init(void);
uint16_t pit_reference(void);
