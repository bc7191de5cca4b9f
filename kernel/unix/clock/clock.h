/* clock.h - the time since the boot, and the date. */
#pragma once
#include "clock/page.h"
#include "toll/counter.h"
#include "cpu/cpu.h"

extern union clock_frame {
        struct clock_page page;
        uint8_t bytes[PAGE_SIZE];
} clock_frame; /* a page of its own, for programs */

/* Reads the date and measures the TSC's rate: in Hz, 0 = unknown or uncertain. `source` is "tsc",
 * "ticks" or "", which chooses the best. */
uint64_t clock_init(const struct counter *counter, const char *source);
const struct rate *clock_rate(void); /* the rate of the TSC, and its source */
uint64_t clock_hertz(void);          /* rate of the TSC; 0 = the clock counts ticks, or uncertain */
void clock_say(void);                /* prints the source of the time, and the time */
void clock_tick(void);               /* called in the timer's interrupt */

/* The last update, for the kernel: always complete, even while the page is being written. */
extern struct clock_page clock_update;
/* The second for which the page has the current rate and end: they change each second. 0 = none. */
extern uint32_t clock_told;

/* Sets the TSC count at which an update's second ends: rounded down. */
void clock_set_end(struct clock_page *update);

/* The date of the boot as a moment. A date minus this is the time since the boot. */
static inline uint64_t clock_boot(void)
{
        return (uint64_t)clock_update.boot << 32;
}

/* The moment (clock/page.h), and that of the last tick */
static inline uint64_t clock_date(void)
{
        return clock_moment(clock_read(&clock_update, tsc_read));
}

static inline uint64_t clock_date_coarse(void)
{
        return clock_read(&clock_update, tsc_read).moment;
}

/* The time since the boot */
static inline uint64_t clock_now(void)
{
        return clock_date() - clock_boot();
}

/* The first moment at which `span` is certain to have passed, 68 years at most; 0 for a span of 0.
 * If ticks are counted the current one may be nearly over. */
uint64_t clock_after(uint64_t span);
bool clock_is_fine(void); /* it advances between ticks */

/* The resolution of the clock, and of the coarse one, in nanoseconds */
uint32_t clock_resolution(void), clock_resolution_coarse(void);
