/* clock.h - the time: since the boot, and by date. */
#ifndef TOLLGATE_UNIX_CLOCK_CLOCK_H
#define TOLLGATE_UNIX_CLOCK_CLOCK_H

#include "clock/page.h"
#include "toll/counter.h"
#include "cpu/cpu.h"

extern union clock_frame {
        struct clock_page page;
        uint8_t bytes[PAGE_SIZE];
} clock_frame; /* a page of its own, for programs to read */

/* Finds out the date, and how fast the TSC runs: in Hz, 0 = not known, or not for certain. `source`
 * is "tsc", "ticks" or "", the best there is. */
uint64_t clock_init(const struct counter *counter, const char *source);
const struct rate *clock_rate(void); /* the rate of the TSC, and its source */
uint64_t clock_hertz(void);          /* of the TSC; 0 = the clock counts ticks, or not certain */
void clock_say(void);                /* prints the source of the time, and the time */
void clock_tick(void);               /* in the timer's interrupt */

/* The last update as the kernel itself reads it: it is whole where the page may be half-way. */
extern struct clock_page clock_update;
/* The second whose rate and end the page has: they change with it. 0 = it has others. */
extern uint32_t clock_told;

/* Sets the count of the TSC up to which an update's second lasts: rounded down. */
void clock_set_end(struct clock_page *update);

/* The date of the boot as a moment. A date less this is the time since the boot. */
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

/* The first moment by which so much will have passed for certain, 68 years at most; 0 of nothing.
 * Where the ticks are counted the present one may be nearly over. */
uint64_t clock_after(uint64_t span);
bool clock_is_fine(void); /* it goes on between two ticks */

/* The resolution of the clock, and of the coarse one, in nanoseconds */
uint32_t clock_resolution(void), clock_resolution_coarse(void);

#endif
