/* timer.h - the periodic timer, and shots between two of its ticks. */
#ifndef TOLLGATE_DEV_TIMER_H
#define TOLLGATE_DEV_TIMER_H

#include <stdbool.h>
#include <stdint.h>

#define TIMER_HZ 100
#define PIT_HZ 1193182 /* what the timer counts */

void timer_init(void); /* 100 Hz */
void timer_interrupt(void);
/* Called at each interrupt of it: a tick, or a shot before the next one. NULL = nobody asks. */
extern void (*timer_asked)(bool tick);
void timer_quiet(bool quiet);    /* every device's line masked, or none */
void timer_rate(unsigned hertz); /* 19 to 100,000 */
extern volatile uint32_t timer_ticks;

/* One more interrupt when `span` (in 2^-32 s) is over, or a little later, unless a tick or another
 * shot comes first: who asked asks again then. The tick behind it comes some counts late. */
void timer_shot(uint64_t span);

uint32_t timer_period(void); /* of a tick, in 2^-32 s */

/* Channel 2, which nothing else uses: it counts down, 2^16 times before it begins again. */
void timer_reference_init(void);
uint16_t timer_reference(void);

#endif
