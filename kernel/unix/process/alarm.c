/* alarm.c - alarm(), setitimer(), getitimer(): a signal after some time, once or periodically. */
#include "process/alarm.h"
#include "clock/clock.h"
#include "cpu/window.h"
#include "machine/timer.h"
#include "lib/printf.h"
#include "thread/user.h"
#include "calls.h"
#include "process/process.h"
#include "process/time.h"
#include "process/signal.h"

#define INTERVAL_MOST (1ull << 63) /* 68 years: the next expiry is still a moment */

static const int signals[ITIMERS] = {SIGALRM, SIGVTALRM, SIGPROF};

static void count(struct alarm *alarm)
{
        if (alarm->left > 1)
                alarm->left--;
        else if (alarm->left == 1)
                alarm_counted = true;
}

void alarm_tick(struct process *process, bool user)
{
        if (user)
                count(&process->alarms[ITIMER_VIRTUAL]);
        count(&process->alarms[ITIMER_PROF]);
}

static void ring(const struct process *process, unsigned which)
{
        const struct signal_info info = {.signal = signals[which], .code = SI_KERNEL};
        interrupt_window();
        if (process->threads)
                signal_send_to(process, &info);
}

static void ring_real(struct process *process)
{
        struct alarm *alarm = &process->alarms[ITIMER_REAL];
        alarm->rests = alarm->interval != 0;
        if (!alarm->rests)
                alarm->left = 0;
        ring(process, ITIMER_REAL);
        for (struct thread *t = process->members; t; t = task_of(t)->next_member)
                if (task_of(t)->signals.pending & SIGNAL_BIT(SIGALRM))
                        task_of(t)->signals.alarm = true;
}

/* The next expiry of a resting timer: whole intervals after its last one, and the first after
 * now. */
static uint64_t next_end(const struct alarm *alarm, uint64_t now)
{
        uint64_t late = now - alarm->left, step = alarm->interval;
        while (step <= late >> 1)
                step <<= 1;
        for (; step >= alarm->interval; step >>= 1)
                if (late >= step)
                        late -= step;
        return now + alarm->interval - late;
}

static void alarm_begin(const struct alarm *alarm)
{
        if (alarm->left && alarm->left < alarm_first) {
                alarm_first = alarm->left;
                schedule_time();
        }
}

void alarm_taken(struct process *process)
{
        struct alarm *alarm = &process->alarms[ITIMER_REAL];
        if (!alarm->rests)
                return;
        alarm->rests = false;
        alarm->left = next_end(alarm, clock_now());
        alarm_begin(alarm);
}

static void ring_counted(struct process *process, unsigned which)
{
        struct alarm *alarm = &process->alarms[which];
        if (alarm->left != 1 || !alarm_counted)
                return;
        alarm->left = alarm->interval;
        ring(process, which);
}

void alarm_ring(uint64_t now)
{
        alarm_first = ALARM_NEVER;
        for (struct process *p = processes; p; p = p->next) {
                const struct alarm *real = &p->alarms[ITIMER_REAL];
                if (real->left && !real->rests && real->left <= now)
                        ring_real(p);
                if (real->left && !real->rests && real->left < alarm_first && p->threads)
                        alarm_first = real->left;
                ring_counted(p, ITIMER_VIRTUAL);
                ring_counted(p, ITIMER_PROF);
        }
        alarm_counted = false;
}

/* Rounded up, like a span. */
static uint64_t ticks_of(uint64_t span)
{
        uint64_t less = span - 1;
        return span ? moment_seconds(less) * (uint64_t)TIMER_HZ + moment_parts(less, TIMER_HZ) + 1
                    : 0;
}

static uint64_t span_of_ticks(uint64_t ticks)
{
        uint32_t rest = divide64(&ticks, TIMER_HZ);
        uint64_t fraction = ((uint64_t)rest << 32) + TIMER_HZ - 1;
        divide64(&fraction, TIMER_HZ);
        return ticks << 32 | fraction;
}

/* The remaining span and the interval, in program's units. */
static void alarm_tell(unsigned which, uint64_t spans[2])
{
        const struct alarm *alarm = &task()->process->alarms[which];
        uint64_t now = clock_now(), end = alarm->rests ? next_end(alarm, now) : alarm->left;
        spans[0] = which != ITIMER_REAL ? span_of_ticks(end) : !end ? 0 : end > now ? end - now : 1;
        spans[1] = which == ITIMER_REAL ? alarm->interval : span_of_ticks(alarm->interval);
}

static void alarm_set(unsigned which, uint64_t span, uint64_t interval)
{
        struct alarm *alarm = &task()->process->alarms[which];
        interval = !span ? 0 : interval < INTERVAL_MOST ? interval : INTERVAL_MOST;
        if (which != ITIMER_REAL) {
                *alarm = (struct alarm){span ? ticks_of(span) + 1 : 0, ticks_of(interval), false};
                return;
        }
        *alarm = (struct alarm){span ? clock_after(span) : 0, interval, false};
        alarm_begin(alarm);
}

/* struct itimerval: the interval, and the time to the first expiry. */
static long write_timer(uintptr_t to, const uint64_t spans[2])
{
        uintptr_t words[4];
        for (unsigned i = 0; i < 2; i++) {
                words[2 * i] = moment_seconds(spans[!i]);
                words[2 * i + 1] = moment_parts(spans[!i], MICROSECONDS);
        }
        return user_put_words(to, words, 4);
}

long sys_getitimer(long which, long to, AFTER_2)
{
        uint64_t spans[2];
        if ((unsigned)which >= ITIMERS)
                return -EINVAL;
        alarm_tell((unsigned)which, spans);
        return write_timer((uintptr_t)to, spans);
}

long sys_setitimer(long which, long from, long to, AFTER_3)
{
        uint64_t spans[2], old[2];
        uintptr_t at = (uintptr_t)from;
        if (!at)
                spans[0] = spans[1] = 0;
        int error = at ? time_span(at, MICROSECONDS, false, &spans[1]) : 0;
        if (!error && at)
                error = time_span(at + 2 * program_word(), MICROSECONDS, false, &spans[0]);
        if (error)
                return error;
        if ((unsigned)which >= ITIMERS)
                return -EINVAL;
        alarm_tell((unsigned)which, old);
        alarm_set((unsigned)which, spans[0], spans[1]);
        return to ? write_timer((uintptr_t)to, old) : 0;
}

/* The remaining seconds: at least one, if any time is left. */
long sys_alarm(long seconds, AFTER_1)
{
        uint64_t old[2];
        alarm_tell(ITIMER_REAL, old);
        alarm_set(ITIMER_REAL, (uint64_t)(unsigned)seconds << 32, 0);
        uint64_t rounded = old[0] + (1ull << 31);
        return old[0] && rounded >> 32 == 0 ? 1 : (long)(rounded >> 32);
}
