/*
 * schedule.h - who runs, who waits for what.
 *
 * The kernel is not preemptive: process context gives the processor away only in schedule(), which
 * every sleep calls. Interrupt handlers change nothing but counters, input rings and cpu_work; what
 * they have to say is seen to on the way out (work_do) or by the idle loop.
 */
#ifndef TOLLGATE_CORE_THREAD_SCHEDULE_H
#define TOLLGATE_CORE_THREAD_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct thread;

/* One entry of a poll(): the thread waits on a list of waiters. Or what watches for others: then
 * there is no thread, but for its state, which is THREAD_NONE, and watch_woken() is told. */
struct poll_waiter {
        struct thread *thread;
        struct poll_waiter *next, **link; /* link: the pointer to this one */
};

/* The threads that wait for one thing. Zeroed = empty. */
struct waiters {
        struct thread *first;
        struct poll_waiter *polls; /* woken with them, but on several lists at a time */
};

/* Sleeps until woken. False = a signal wants the process first: the call returns
 * call_interrupted(). Woken is not promised anything: look at the condition again. */
bool wait_on(struct waiters *waiters);
/* The same, but no longer than until the clock shows that moment; then it returns true, too. */
bool wait_until(struct waiters *waiters, uint64_t moment);
/* The same whatever signals come: for the answer of a device, which comes soon or is given up. */
void wait_through(struct waiters *waiters, uint64_t moment);
/* The same, on no list but those that the caller has put it on: until wake() of this thread. */
bool wait_woken(void);
bool wait_woken_until(uint64_t moment);
void wake_waiters(struct waiters *waiters), wake_each(struct waiters *waiters);
extern void (*watch_woken)(void *state); /* file/epoll.c says by whom */
static inline void wake_all(struct waiters *waiters)
{
        if (waiters->first)
                wake_waiters(waiters);
        else if (__builtin_expect(waiters->polls != NULL, false))
                wake_each(waiters);
}
void wake(struct thread *thread); /* out of any sleep */

/* Gives the processor to the next that is ready; comes back when it is this process's turn. */
void schedule(void);
void schedule_with_flags(uintptr_t flags); /* from a direct call: with FLAGS_OF_PROGRAM */
/* schedule() for a process that has ended; interrupts are off. */
_Noreturn void schedule_leave(void);
/* For the kernel's own context: halts until an interrupt, if nobody is ready. */
void schedule_idle(void);
extern uint32_t schedule_idle_ticks, schedule_busy_ticks; /* of the timer: nobody ran, one did */
/* When the first alarm ends, and whether one that counts ticks has: their keeper says so. */
#define ALARM_NEVER UINT64_MAX
extern uint64_t alarm_first;
extern bool alarm_counted;
extern bool alarm_fine;   /* time goes on between two ticks */
void schedule_time(void); /* an alarm may end before the next tick */
/* The timer's ticks end turns from here on. What else is done at each (NULL = nothing), in its
 * interrupt, with a thread or (NULL) without. */
void schedule_init(void (*at_tick)(struct thread *));
/* Makes a new thread ready: it runs before the current one goes on, or when its turn comes. */
void schedule_add(struct thread *thread);
void schedule_add_last(struct thread *thread);

#endif
