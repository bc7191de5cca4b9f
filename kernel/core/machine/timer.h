/* timer.h - the periodic timer, and shots between two of its ticks. */
#ifndef TOLLGATE_CORE_MACHINE_TIMER_H
#define TOLLGATE_CORE_MACHINE_TIMER_H

#include <stdbool.h>
#include <stdint.h>

#define TIMER_HZ 100

/* A timer that counts down, interrupts at 0, and begins again. */
struct ticker {
        const char *name;
        void (*count_from)(uint32_t counts);
        uint32_t (*left)(void);    /* of its counts */
        void (*quiet)(bool quiet); /* masked or not; NULL = its line is the 8259's */
        uint32_t hertz;            /* of its counts */
};

/* Whether it interrupts: it is given the time for some ticks. The machine must not be quiet. */
bool timer_answers(void);
/* Sets another source of ticks, or (NULL) leaves them to the callers of timer_wait(). */
void timer_tick_by(const struct ticker *other);
/* Waits until something interrupts; interrupts are off before and after. Where there is no ticker
 * it is a tick each time, however long that takes. */
void timer_wait(void);
void timer_interrupt(void);
/* Called at each interrupt of it: a tick, or a shot before the next one. NULL = nobody asks. */
extern void (*timer_asked)(bool tick);
void timer_mask(bool masked);      /* its own line, if that is not the 8259's (machine/quiet.h) */
void timer_rate(unsigned hertz);   /* 19 to 100,000; its first tick begins now ... */
void timer_change(unsigned hertz); /* ... or, if that is sooner, is the one that is set already */
extern volatile uint32_t timer_ticks;

/* One more interrupt when `span` (in 2^-32 s) is over, and not before TIMER_SLACK is; or a little
 * later. False: a tick or another shot comes first. The tick behind it comes some counts late.
 *
 * A counter goes on with the same count until it is set anew. If that took longer than the count,
 * the next interrupt would be there when the first one's handler ends. 50 us are Linux's timer
 * slack. */
#define TIMER_SLACK (((uint64_t)50 << 32) / 1000000)
bool timer_shot(uint64_t span);

uint32_t timer_period(void); /* of a tick, in 2^-32 s */

#endif
