/* timer.c - ticks and shots, by any timer that counts down and interrupts. */
#include "machine/timer.h"
#include "cpu/cpu.h"
#include "machine/pit.h"
#include "lib/printf.h"

#define COUNTS_LEAST 2 /* minimum for a rate generator */
#define TRY_HZ 10000   /* rate while it is tried ... */
#define TURNS 20       /* ... for this many periods */
#define LOOKS 10000    /* maximum polls of a count that does not change */
#define ROUNDS 1000    /* rounds of a wait in which the PIT is not polled */
#define PAUSE 1000000  /* rounds of a simulated tick */

volatile uint32_t timer_ticks;
static const struct ticker *ticker = &pit_ticker;
static uint32_t period;
static uint32_t divisor, counting; /* counts of a tick; the ticker's reload value */
static uint32_t rest;              /* time from the pending shot to the tick; 0 = no shot */

static void count_from(uint32_t counts)
{
        counting = counts;
        ticker->count_from(counts);
}

void timer_change(unsigned hertz)
{
        if (!ticker)
                return;
        divisor = ticker->hertz / hertz;
        if (!counting || ticker->left() + rest > divisor) {
                rest = 0;
                count_from(divisor);
        }
        uint64_t span = (uint64_t)divisor << 32;
        divide64(&span, ticker->hertz);
        period = (uint32_t)span;
}

void timer_rate(unsigned hertz)
{
        if (ticker)
                counting = 0;
        timer_change(hertz);
}

uint32_t timer_period(void)
{
        return period;
}

static void idle(unsigned rounds)
{
        for (; rounds; rounds--)
                __asm__ volatile("");
}

bool timer_answers(void)
{
        uint32_t before = timer_ticks, last = 0;
        timer_rate(TRY_HZ);
        interrupts_on();
        for (unsigned i = 0, turns = 0; i < LOOKS && turns < TURNS && timer_ticks == before; i++) {
                idle(ROUNDS);
                uint32_t left = ticker->left();
                turns += left > last;
                last = left;
        }
        interrupts_off();
        timer_rate(TIMER_HZ);
        return timer_ticks != before;
}

void timer_tick_by(const struct ticker *other)
{
        ticker = other;
        timer_rate(TIMER_HZ);
}

void timer_wait(void)
{
        if (ticker) {
                interrupt_wait();
                return;
        }
        interrupts_on();
        idle(PAUSE);
        interrupts_off();
        timer_interrupt();
}

/* A pending shot becomes a whole tick: a hypervisor pays for each period of a masked timer. */
void timer_mask(bool masked)
{
        if (masked && rest) {
                rest = 0;
                count_from(divisor);
        }
        if (ticker && ticker->quiet)
                ticker->quiet(masked);
}

bool timer_shot(uint64_t span)
{
        if (span < TIMER_SLACK)
                span = TIMER_SLACK;
        if (span >= period || !ticker)
                return false;
        uint32_t counts = (uint32_t)(span * ticker->hertz >> 32) + 2; /* rounded up; one to load */
        uint32_t left = ticker->left();
        if (counts + COUNTS_LEAST > left)
                return false;
        rest += left - counts;
        count_from(counts);
        return true;
}

void (*timer_asked)(bool tick);

void timer_interrupt(void)
{
        bool tick = !rest;
        timer_ticks += tick;
        if (counting != divisor || !tick)
                count_from(tick ? divisor : rest);
        rest = 0;
        if (timer_asked)
                timer_asked(tick);
}
