/* load_average.c - exponentially damped averages, sampled every 5 s (Linux, kernel/sched/loadavg.c:
 * the same factors). */
#include "process/load_average.h"
#include "machine/timer.h"
#include "thread/thread.h"

#define EVERY (5 * TIMER_HZ) /* ticks */

uint32_t load_averages[LOAD_AVERAGES];

void load_average_tick(void)
{
        static const uint32_t keeps[LOAD_AVERAGES] = {1884, 2014, 2037}; /* e^(-5 s / span) */
        static unsigned left = EVERY;
        if (--left)
                return;
        left = EVERY;
        uint32_t active = thread_ready_count() * LOAD_ONE;
        for (unsigned i = 0; i < LOAD_AVERAGES; i++) {
                uint32_t load = load_averages[i] * keeps[i] + active * (LOAD_ONE - keeps[i]);
                if (active >= load_averages[i])
                        load += LOAD_ONE - 1;
                load_averages[i] = load >> LOAD_BITS;
        }
}
