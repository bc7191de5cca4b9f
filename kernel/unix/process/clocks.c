/* clocks.c - calls that report the time (clock/clock.c keeps it).
 *
 * 32-bit programs use times with 32-bit halves (struct old_timespec32), except in the calls for 64.
 * All clocks advance together. They differ by the date of the boot, and the coarse ones change at
 * ticks only. They cannot be set. */
#include "clock/clock.h"
#include "machine/timer.h"
#include "lib/printf.h"
#include "mem/space.h"
#include "thread/user.h"
#include "calls.h"
#include "process/missing.h"
#include "process/process.h"
#include "uapi.h"
#include "process/usage.h"

/* A clock's time as a moment. */
static uint64_t since_boot(void)
{
        return clock_now();
}

static uint64_t by_date(void)
{
        return clock_date();
}

static uint64_t by_date_coarse(void)
{
        return clock_date_coarse();
}

static uint64_t since_boot_coarse(void)
{
        return clock_date_coarse() - clock_boot();
}

/* Processor time, which is counted in ticks. */
static uint64_t time_of(const struct usage *usage)
{
        uint64_t ticks = usage->user + usage->system;
        uint64_t fraction = (uint64_t)divide64(&ticks, TIMER_HZ) << 32;
        fraction += TIMER_HZ - 1;
        divide64(&fraction, TIMER_HZ);
        return ticks << 32 | (uint32_t)fraction;
}

static uint64_t processor(void)
{
        return time_of(&task()->process->usage);
}

static uint64_t processor_of_thread(void)
{
        return time_of(&task()->usage);
}

static const struct clock {
        uint64_t (*now)(void);
        bool coarse;
} clocks[] = {
        [CLOCK_REALTIME] = {by_date, false},
        [CLOCK_MONOTONIC] = {since_boot, false},
        [CLOCK_PROCESS_CPUTIME_ID] = {processor, true},
        [CLOCK_THREAD_CPUTIME_ID] = {processor_of_thread, true},
        [CLOCK_MONOTONIC_RAW] = {since_boot, false},
        [CLOCK_REALTIME_COARSE] = {by_date_coarse, true},
        [CLOCK_MONOTONIC_COARSE] = {since_boot_coarse, true},
        [CLOCK_BOOTTIME] = {since_boot, false},
};
#define CLOCKS (sizeof clocks / sizeof *clocks)

/* Writes seconds and a fraction, each as a program's word. */
static inline __attribute__((always_inline)) long give(uintptr_t at, uint32_t seconds,
                                                       uint32_t fraction, bool wide)
{
        if (!user_inside(at, wide ? 16 : 8))
                return -EFAULT;
        user_open();
        if (wide && WORD == 8) {
                uint64_t *to = USER(uint64_t, at);
                USER_PUT(to[0], seconds, fault);
                USER_PUT(to[1], fraction, fault);
        } else if (wide) {
                uint32_t *to = USER(uint32_t, at);
                USER_PUT(to[0], seconds, fault);
                USER_PUT(to[1], 0, fault);
                USER_PUT(to[2], fraction, fault);
                USER_PUT(to[3], 0, fault);
        } else {
                uint32_t *to = USER(uint32_t, at);
                USER_PUT(to[0], seconds, fault);
                USER_PUT(to[1], fraction, fault);
        }
        user_close();
        return 0;
fault:
        user_close();
        return -EFAULT;
}

static inline long give_moment(uintptr_t at, uint64_t moment, uint32_t parts, bool wide)
{
        return give(at, moment_seconds(moment), moment_parts(moment, parts), wide);
}

static long clocks_tell(unsigned clock, uintptr_t to, bool wide)
{
        return clock < CLOCKS ? give_moment(to, clocks[clock].now(), NANOSECONDS, wide)
                              : missing_request(MISSING_clock, clock, -EINVAL);
}

static long tell_resolution(unsigned clock, uintptr_t to, bool wide)
{
        if (clock >= CLOCKS)
                return missing_request(MISSING_clock, clock, -EINVAL);
        uint32_t nanoseconds =
                clocks[clock].coarse ? clock_resolution_coarse() : clock_resolution();
        return to ? give(to, 0, nanoseconds, wide) : 0;
}

long sys_clock_gettime(long clock, long to, AFTER_2)
{
        return clocks_tell((unsigned)clock, (uintptr_t)to, !call_narrow());
}

long sys_clock_gettime64(long clock, long to, AFTER_2)
{
        return clocks_tell((unsigned)clock, (uintptr_t)to, true);
}

long sys_clock_getres(long clock, long to, AFTER_2)
{
        return tell_resolution((unsigned)clock, (uintptr_t)to, !call_narrow());
}

long sys_clock_getres_time64(long clock, long to, AFTER_2)
{
        return tell_resolution((unsigned)clock, (uintptr_t)to, true);
}

long sys_gettimeofday(long to, long zone, AFTER_2)
{
        long error = to ? give_moment((uintptr_t)to, by_date(), MICROSECONDS, !call_narrow()) : 0;
        return error || !zone ? error : give((uintptr_t)zone, 0, 0, false); /* Greenwich */
}

long sys_time(long to, AFTER_1)
{
        uintptr_t now = (uintptr_t)moment_seconds(by_date());
        if (to && user_put_words((uintptr_t)to, &now, 1))
                return -EFAULT;
        return (long)now;
}

/* No program may set the time, because others have read it. */
static long refused(uintptr_t from)
{
        uintptr_t words[2];
        return user_get_words(words, from, 2) ? -EFAULT : -EPERM;
}

long sys_clock_settime(long clock, long from, AFTER_2)
{
        return (int)clock != CLOCK_REALTIME ? -EINVAL : refused((uintptr_t)from);
}

long sys_clock_settime64(long clock, long from, AFTER_2)
{
        uint64_t wide[2];
        if ((int)clock != CLOCK_REALTIME)
                return -EINVAL;
        return user_get(&wide, (uintptr_t)from) ? -EFAULT : -EPERM;
}

long sys_settimeofday(long from, AFTER_1)
{
        return from ? refused((uintptr_t)from) : -EPERM;
}
