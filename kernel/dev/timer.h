/* timer.h - the periodic timer. */
#ifndef TOLLGATE_DEV_TIMER_H
#define TOLLGATE_DEV_TIMER_H

#include <stdbool.h>
#include <stdint.h>

#define TIMER_HZ 100
#define PIT_HZ 1193182 /* what the timer counts */

void timer_init(void);            /* 100 Hz */
void timer_interrupt(void);       /* a tick */
extern void (*timer_asked)(void); /* called at each; NULL = nobody asks */
void timer_quiet(bool quiet);     /* every device's line masked, or none */
void timer_rate(unsigned hertz);  /* 19 to 100,000 */
extern volatile uint32_t timer_ticks;

uint32_t timer_period(void); /* of a tick, in 2^-32 s */

/* Channel 2, which nothing else uses: it counts down, 2^16 times before it begins again. */
void timer_reference_init(void);
uint16_t timer_reference(void);

#endif
