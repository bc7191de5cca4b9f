/* schedule.c - the scheduler for one processor: ready threads, sleepers and the switch.
 *
 * Ready processes take turns of one timer tick each. When no thread is ready the kernel's own
 * context runs (cpu_current NULL): process_run()'s loop on the boot stack, which halts. */
#include "thread/schedule.h"
#include "above.h"
#include "cpu/window.h"
#include "cpu/work.h"
#include "machine/timer.h"
#include "mem/space.h"
#include "thread/posture.h"
#include "thread/switch.h"

static struct thread *ready_first, **ready_end = &ready_first; /* excludes the current one */
static struct thread *timed_first; /* sleepers with a timeout, the soonest first */
static bool timer_called;          /* a sleep or a turn has ended, or `crowded` */
static bool crowded;               /* several waiters for one event became ready */
static void *kernel[2];            /* no memory; its kernel_sp, while a process runs */

static void ready_put(struct thread *thread)
{
        thread->state = THREAD_READY;
        thread->next_ready = NULL;
        *ready_end = thread;
        ready_end = &thread->next_ready;
}

static struct thread *ready_take(void)
{
        struct thread *thread = ready_first;
        if (thread) {
                ready_first = thread->next_ready;
                if (!ready_first)
                        ready_end = &ready_first;
        }
        return thread;
}

void schedule_add_last(struct thread *thread)
{
        ready_put(thread);
}

void schedule_add(struct thread *thread)
{
        ready_put(thread);
        work_add(WORK_RESCHEDULE);
}

uint32_t schedule_idle_ticks, schedule_busy_ticks;
uint64_t alarm_first = ALARM_NEVER;
bool alarm_counted;

bool alarm_fine;
static void (*every_tick)(struct thread *);

static void count_tick(void)
{
        if (every_tick)
                every_tick(cpu_current);
        if (cpu_current)
                schedule_busy_ticks++;
        else
                schedule_idle_ticks++;
}

/* A thread that was switched to must get to run. On a slow machine a timer interrupt may arrive
 * during the switch; then the thread keeps the processor for TIMER_SLACK. */
static const struct thread *found_last; /* thread found by the timer; no other has run since */
static bool turn_is_over;               /* that thread's turn would be over */

/* The next timer interrupt will see the same thread. */
static bool keeps_the_processor(void)
{
        if (!cpu_current || cpu_current == found_last || !timer_shot(TIMER_SLACK))
                return false;
        found_last = cpu_current;
        return true;
}

/* Whether a thread sleeps with a timeout or has set an alarm. */
static bool is_timed(void)
{
        return timed_first || alarm_first != ALARM_NEVER || alarm_counted;
}

/* Called at each timer interrupt (tick or shot). */
static void schedule_tick(bool whole)
{
        if (whole)
                count_tick();
        turn_is_over |= whole;
        if (!is_timed() && !(turn_is_over && ready_first))
                return;
        timer_called = true;
        if (!keeps_the_processor())
                work_add(WORK_RESCHEDULE);
}

void schedule_init(void (*at_tick)(struct thread *))
{
        every_tick = at_tick;
        timer_asked = schedule_tick;
}

/* All threads may wake at once, each the last of the list. */
__attribute__((noinline)) static void stop_timing(struct thread *thread)
{
        struct thread **link = &timed_first;
        interrupt_window();
        while (*link != thread)
                link = &(*link)->next_timed;
        *link = thread->next_timed;
        thread->timed = false;
}

static void stop_waiting(struct thread *thread)
{
        if (thread->waits_on) {
                struct thread **link = &thread->waits_on->first;
                while (*link != thread)
                        link = &(*link)->next_waiter;
                *link = thread->next_waiter;
                thread->waits_on = NULL;
        }
        if (thread->timed)
                stop_timing(thread);
}

void (*watch_woken)(void *state);

/* An entry of `polls` may be just a thread's state. The checking build must allow it. */
#define OR_A_WATCH __attribute__((no_sanitize("alignment", "object-size")))

OR_A_WATCH void wake(struct thread *thread)
{
        if (thread->state == THREAD_SLEEPING || thread->state == THREAD_STOPPED) {
                stop_waiting(thread);
                ready_put(thread);
        } else if (thread->state == THREAD_NONE) {
                watch_woken(&thread->state);
        }
}

/* Each thread may find nothing and sleep again, so the processor changes hands many times with
 * interrupts off. answer_timer() lets them in. */
static OR_A_WATCH __attribute__((cold, noinline)) void wake_crowd(struct waiters *waiters)
{
        crowded = timer_called = true;
        while (waiters->first) {
                interrupt_window();
                wake(waiters->first);
        }
}

OR_A_WATCH void wake_each(struct waiters *waiters)
{
        if (waiters->first)
                wake(waiters->first);
        if (waiters->first)
                wake_crowd(waiters);
        for (struct poll_waiter *w = waiters->polls; w; w = w->next) {
                interrupt_window();
                wake(w->thread);
        }
}

/* Usually only one thread waits, and only for this. A thread on the list sleeps, or was stopped
 * while asleep. */
void wake_waiters(struct waiters *waiters)
{
        struct thread *thread = waiters->first;
        if (thread->next_waiter || thread->timed || waiters->polls) {
                wake_each(waiters);
                return;
        }
        waiters->first = NULL;
        thread->waits_on = NULL;
        ready_put(thread);
}

/* Sets the timer for the first timeout, if that is before the next tick. Not needed if the clock
 * does not move between ticks. */
static void time_first(uint64_t now)
{
        uint64_t first = timed_first ? timed_first->wakes_at : ALARM_NEVER;
        if (first > alarm_first)
                first = alarm_first;
        if (first != ALARM_NEVER && alarm_fine)
                timer_shot(first > now ? first - now : 0);
}

void schedule_time(void)
{
        time_first(above.now());
}

static void answer_timer(void)
{
        if (crowded)
                interrupt_window();
        crowded &= ready_first != NULL;
        timer_called = crowded;
        turn_is_over = false;
        found_last = NULL;
        if (!is_timed())
                return;
        uint64_t now = above.now();
        while (timed_first && timed_first->wakes_at <= now)
                wake(timed_first);
        if (alarm_first <= now || alarm_counted)
                above.alarm(now);
        time_first(now);
}

/* Interrupts are off. NULL = the idle kernel. `work`: the current cpu_work. */
static inline __attribute__((always_inline)) void change(struct thread *from, struct thread *to,
                                                         uint8_t work)
{
        if (from)
                processor_save(from, work);
        if (__builtin_expect(to != NULL, true)) {
                processor_load(from, to, work);
        } else {
                cpu_current = NULL;
                cpu_stack = (uintptr_t)boot_stack_top;
                cpu_work &= WORK_GLOBAL;
                stack_set(cpu_stack);
                space_load(kernel_space);
                posture_drop(from);
        }
        stack_switch(from ? &from->kernel_sp : &kernel[1], to ? &to->kernel_sp : &kernel[1]);
}

static void switch_to(struct thread *to)
{
        if (cpu_current != to)
                change(cpu_current, to, cpu_work);
}

static bool may_sleep(void)
{
        return !(cpu_work & (WORK_EXIT | WORK_SIGNAL)) ||
               !(cpu_work & WORK_EXIT || above.wants_signal(cpu_current));
}

/* The current thread sleeps: schedule() without the check of its state. */
static inline __attribute__((always_inline)) void give_way(struct thread *thread)
{
        thread->state = THREAD_SLEEPING;
        if (__builtin_expect(timer_called || flags_read() & FLAGS_OF_PROGRAM, false))
                schedule();
        else
                change(thread, ready_take(), cpu_work & (uint8_t)~WORK_RESCHEDULE);
}

/* Appends to the list of waiters: first in, first woken. */
static inline __attribute__((always_inline)) void sleep_in(struct waiters *waiters)
{
        struct thread *thread = cpu_current, **link = &waiters->first;
        while (__builtin_expect(*link != NULL, false))
                link = &(*link)->next_waiter;
        thread->next_waiter = NULL;
        *link = thread;
        thread->waits_on = waiters;
        give_way(thread);
}

static inline __attribute__((always_inline)) bool sleep_on(struct waiters *waiters)
{
        if (__builtin_expect(!may_sleep(), false)) {
                stop_waiting(cpu_current);
                return false;
        }
        sleep_in(waiters);
        return true;
}

bool wait_on(struct waiters *waiters)
{
        return sleep_on(waiters);
}

bool wait_woken(void)
{
        if (!may_sleep())
                return false;
        give_way(cpu_current);
        return true;
}

static void start_timing(struct thread *thread, uint64_t moment)
{
        struct thread **link = &timed_first;
        while (*link && (*link)->wakes_at <= moment)
                link = &(*link)->next_timed;
        thread->wakes_at = moment;
        thread->timed = true;
        thread->next_timed = *link;
        *link = thread;
        if (timed_first == thread)
                time_first(above.now());
}

bool wait_until(struct waiters *waiters, uint64_t moment)
{
        start_timing(cpu_current, moment);
        return sleep_on(waiters);
}

void wait_through(struct waiters *waiters, uint64_t moment)
{
        start_timing(cpu_current, moment);
        sleep_in(waiters);
}

bool wait_woken_until(uint64_t moment)
{
        start_timing(cpu_current, moment);
        if (wait_woken())
                return true;
        stop_waiting(cpu_current);
        return false;
}

_Noreturn void schedule_leave(void)
{
        switch_to(ready_take());
        __builtin_unreachable();
}

/* An interrupt between the check and HLT would be missed. STI delays it by one instruction, and an
 * NMI that lets it in there skips HLT (trap/dispatch.c). */
void schedule_idle(void)
{
        interrupts_off();
        if (!ready_first && threads && !(cpu_work & WORK_GLOBAL)) {
                if (window_meter)
                        window_meter->sleep();
                timer_wait();
                if (window_meter)
                        window_meter->wake();
        }
}

/* Interrupts are off. */
static inline __attribute__((always_inline)) void take_turns(void)
{
        struct thread *from = cpu_current;
        bool turn = from && from->state == THREAD_READY; /* else waking it here would list it */
        cpu_work &= (uint8_t)~WORK_RESCHEDULE;
        if (timer_called)
                answer_timer();
        if (!turn) {
                switch_to(ready_take());
        } else if (ready_first) {
                ready_put(from);
                switch_to(ready_take());
        }
}

__attribute__((cold, noinline)) void schedule_with_flags(uintptr_t flags)
{
        flags_back(RFLAGS_FIXED);
        take_turns();
        flags_back(flags);
}

void schedule(void)
{
        uintptr_t flags = flags_read();
        if (flags & FLAGS_OF_PROGRAM)
                schedule_with_flags(flags);
        else
                take_turns();
}

static __attribute__((cold, noinline)) bool goes_on_after_others(void)
{
        if (cpu_work & WORK_RESCHEDULE && cpu_current && !cpu_quiet)
                schedule();
        return !(cpu_work & WORK_EXIT);
}

bool work_goes_on(void)
{
        interrupt_window();
        return !(cpu_work & (WORK_RESCHEDULE | WORK_EXIT)) || goes_on_after_others();
}
