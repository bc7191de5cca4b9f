/*
 * time.c - the clocks, which all count the timer's ticks since the boot, and sleeping.
 *
 * Times of 32-bit programs have 32-bit halves (struct old_timespec32).
 */
#include "proc/time.h"
#include "dev/timer.h"
#include "mem/space.h"
#include "proc/calls.h"
#include "proc/process.h"

#define CLOCKS 8
#define TIMER_ABSTIME 1

/* seconds and a fraction, each a word of the program's */
static long put_pair(uintptr_t to, uint64_t seconds, uint64_t fraction)
{
        unsigned width = program_word();
        if (user_write(to, &seconds, width) || user_write(to + width, &fraction, width))
                return -EFAULT;
        return 0;
}

#define SECONDS_MOST 10000000u /* what a timer tick can still count */

int time_read(uintptr_t from, uint32_t parts, uint32_t *ticks)
{
        unsigned width = program_word();
        uint64_t pair[2] = {0, 0};
        if (user_read(&pair[0], from, width) || user_read(&pair[1], from + width, width))
                return -EFAULT;
        if (pair[0] >> (8 * width - 1) || pair[1] >= parts)
                return -EINVAL;
        uint32_t seconds = pair[0] < SECONDS_MOST ? (uint32_t)pair[0] : SECONDS_MOST;
        uint32_t whole = (uint32_t)pair[1] / (parts / TIMER_HZ);
        bool rest = (uint32_t)pair[1] % (parts / TIMER_HZ);
        *ticks = seconds * TIMER_HZ + whole + rest;
        return 0;
}

long time_write(uintptr_t to, uint32_t parts, uint32_t ticks)
{
        return put_pair(to, ticks / TIMER_HZ, ticks % TIMER_HZ * (parts / TIMER_HZ));
}

long sys_clock_gettime(long clock, long to, AFTER_2)
{
        if ((unsigned long)clock >= CLOCKS)
                return -EINVAL;
        return time_write((uintptr_t)to, NANOSECONDS, timer_ticks);
}

long sys_clock_getres(long clock, long to, AFTER_2)
{
        if ((unsigned long)clock >= CLOCKS)
                return -EINVAL;
        return to ? put_pair((uintptr_t)to, 0, NANOSECONDS / TIMER_HZ) : 0;
}

long sys_gettimeofday(long to, AFTER_1)
{
        return to ? time_write((uintptr_t)to, MICROSECONDS, timer_ticks) : 0;
}

long sys_time(long to, AFTER_1)
{
        uint64_t now = timer_ticks / TIMER_HZ;
        if (to && user_write((uintptr_t)to, &now, program_word()))
                return -EFAULT;
        return (long)now;
}

static long sleep(uintptr_t from, uintptr_t left_at, bool absolute)
{
        struct waiters nobody = {0};
        uint32_t ticks;
        int error = time_read(from, NANOSECONDS, &ticks);
        if (error)
                return error;
        uint32_t end = absolute ? ticks : sleep_end(timer_ticks + ticks);
        while ((int32_t)(end - timer_ticks) > 0) {
                if (wait_until(&nobody, end))
                        continue;
                if (left_at && time_write(left_at, NANOSECONDS, end - timer_ticks))
                        return -EFAULT;
                return absolute ? call_interrupted(ERESTARTNOHAND) : sleep_interrupted();
        }
        return 0;
}

long sys_nanosleep(long from, long left_at, AFTER_2)
{
        return sleep((uintptr_t)from, (uintptr_t)left_at, false);
}

long sys_clock_nanosleep(long clock, long flags, long from, long left_at, AFTER_4)
{
        if ((unsigned long)clock >= CLOCKS)
                return -EINVAL;
        bool absolute = flags & TIMER_ABSTIME;
        return sleep((uintptr_t)from, absolute ? 0 : (uintptr_t)left_at, absolute);
}

/* struct tms: user and system time of itself and its ended children, in ticks */
long sys_times(long to, AFTER_1)
{
        uint64_t own = cpu_current->process->ticks, none = 0;
        unsigned width = program_word();
        for (unsigned i = 0; to && i < 4; i++)
                if (user_write((uintptr_t)to + i * width, i ? &none : &own, width))
                        return -EFAULT;
        return (long)timer_ticks;
}

long sys_sched_yield(AFTER_0)
{
        schedule();
        return 0;
}
