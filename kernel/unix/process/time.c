/* time.c - sleeping until a moment. (clocks.c reports the time.)
 *
 * 32-bit programs use times with 32-bit halves (struct old_timespec32). */
#include "process/time.h"
#include "clock/clock.h"
#include "lib/printf.h"
#include "thread/user.h"
#include "calls.h"
#include "process/process.h"
#include "uapi.h"

#define CLOCKS 8
#define TIMER_ABSTIME 1

/* seconds and a fraction, each as a program's word */
static long put_pair(uintptr_t to, uint64_t seconds, uint64_t fraction)
{
        const uintptr_t pair[2] = {(uintptr_t)seconds, (uintptr_t)fraction};
        return user_put_words(to, pair, 2);
}

/* Converts a program's struct to a span of 2^-32 s, rounded up. */
int time_span(uintptr_t from, uint32_t parts, bool carries, uint64_t *span)
{
        uintptr_t pair[2];
        if (user_get_words(pair, from, 2))
                return -EFAULT;
        if (carries) {
                long part = call_narrow() ? (int32_t)pair[1] : (long)pair[1];
                pair[0] += (uintptr_t)(part / (long)parts);
                pair[1] = (uintptr_t)(part % (long)parts);
        }
        if (pair[0] >> (8 * program_word() - 1) || pair[1] >= parts)
                return -EINVAL;
        uint64_t seconds = pair[0] <= UINT32_MAX ? pair[0] : UINT32_MAX;
        uint64_t fraction = ((uint64_t)pair[1] << 32) + parts - 1;
        divide64(&fraction, parts);
        *span = (seconds << 32) + fraction;
        return 0;
}

int time_after(uintptr_t from, uint32_t parts, uint64_t *end)
{
        uint64_t span = 0;
        int error = time_span(from, parts, parts == MICROSECONDS, &span);
        *end = sleep_end(clock_after(span));
        return error;
}

int time_at(uintptr_t from, bool by_date, uint64_t *end)
{
        uint64_t moment = 0, zero = by_date ? clock_boot() : 0;
        int error = time_span(from, NANOSECONDS, false, &moment);
        *end = moment > zero ? moment - zero : 0;
        return error;
}

long time_write_left(uintptr_t to, uint32_t parts, uint64_t end)
{
        uint64_t now = clock_now(), span = end > now ? end - now : 0;
        return put_pair(to, moment_seconds(span), moment_parts(span, parts));
}

static long sleep(uintptr_t from, uintptr_t left_at, bool absolute, bool by_date)
{
        struct waiters nobody = {0};
        uint64_t end;
        int error = absolute ? time_at(from, by_date, &end) : time_after(from, NANOSECONDS, &end);
        if (error)
                return error;
        while (end > clock_now()) {
                if (wait_until(&nobody, end))
                        continue;
                if (left_at && time_write_left(left_at, NANOSECONDS, end))
                        return -EFAULT;
                return absolute ? call_interrupted(ERESTARTNOHAND) : sleep_interrupted();
        }
        return 0;
}

long sys_nanosleep(long from, long left_at, AFTER_2)
{
        return sleep((uintptr_t)from, (uintptr_t)left_at, false, false);
}

long sys_clock_nanosleep(long clock, long flags, long from, long left_at, AFTER_4)
{
        if ((unsigned long)clock >= CLOCKS)
                return -EINVAL;
        bool absolute = flags & TIMER_ABSTIME;
        bool by_date = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
        return sleep((uintptr_t)from, absolute ? 0 : (uintptr_t)left_at, absolute, by_date);
}

long sys_sched_yield(AFTER_0)
{
        schedule();
        return 0;
}

uint64_t sleep_end(uint64_t moment)
{
        uint64_t end = task()->resumes ? cpu_current->wakes_at : moment;
        task()->resumes = false;
        return end;
}

long sleep_interrupted(void)
{
        long result = call_interrupted(ERESTARTNOHAND);
        task()->resumes = result != -EINTR;
        return result;
}
