/* timer.h - the periodic timer. */
#ifndef TOLLGATE_DEV_TIMER_H
#define TOLLGATE_DEV_TIMER_H

#include <stdbool.h>
#include <stdint.h>

#define TIMER_HZ 100

void timer_init(void);            /* 100 Hz */
void timer_interrupt(void);       /* a tick */
extern void (*timer_asked)(void); /* called at each; NULL = nobody asks */
void timer_quiet(bool quiet);     /* every device's line masked, or none */
void timer_rate(unsigned hertz);  /* 19 to 100,000 */
extern volatile uint32_t timer_ticks;

uint64_t timer_tsc_hz(void); /* the TSC's frequency against the PIT, in Hz; 0 = no PIT */

#endif
