/* timer.h - the periodic timer, and shots between two of its ticks. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#define TIMER_HZ 100

/* A timer that counts down, interrupts at 0, and begins again. */
struct ticker {
        const char *name;
        void (*count_from)(uint32_t counts);
        uint32_t (*left)(void);    /* of counts */
        void (*quiet)(bool quiet); /* masks it or not; NULL = its line is the 8259's */
        uint32_t hertz;            /* counting rate */
};

/* Whether it interrupts: waits for the time of some ticks. The machine must not be quiet. */
bool timer_answers(void);
/* Chooses another source of ticks. NULL: timer_wait() simulates ticks. */
void timer_tick_by(const struct ticker *other);
/* Waits for any interrupt; interrupts are off before and after. Without a ticker each call counts
 * as one tick, however long it takes. */
void timer_wait(void);
void timer_interrupt(void);
/* Called at each timer interrupt: a tick, or a shot before the next tick. NULL = none. */
extern void (*timer_asked)(bool tick);
void timer_mask(bool masked);      /* masks its own line, if not the 8259's (machine/quiet.h) */
void timer_rate(unsigned hertz);   /* 19 to 100,000; the first tick starts now ... */
void timer_change(unsigned hertz); /* ... or is the pending one, if that is sooner */
extern volatile uint32_t timer_ticks;

/* One more interrupt after `span` (in 2^-32 s), TIMER_SLACK at least; it may be a little late.
 * False: a tick or another shot is sooner. The tick after it is some counts late.
 *
 * A counter repeats the same count until it is set again. If setting it took longer than the count,
 * the next interrupt would be pending when the handler ends. 50 us is Linux's timer slack. */
#define TIMER_SLACK (((uint64_t)50 << 32) / 1000000)
bool timer_shot(uint64_t span);

uint32_t timer_period(void); /* length of a tick, in 2^-32 s */
