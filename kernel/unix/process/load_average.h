/* load_average.h - the average number of ready threads over 1, 5 and 15 minutes. */
#pragma once
#include <stdint.h>

#define LOAD_AVERAGES 3
#define LOAD_BITS 11
#define LOAD_ONE (1u << LOAD_BITS) /* a load of 1 */

extern uint32_t load_averages[LOAD_AVERAGES];
void load_average_tick(void); /* called at each tick, in the interrupt */
