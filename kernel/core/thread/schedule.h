/* schedule.h - scheduling and waiting.
 *
 * The kernel is not preemptive: a thread gives up the processor only in schedule(), which every
 * sleep calls. Interrupt handlers change only counters, input rings and cpu_work; the resulting
 * work is done on the way out (work_do) or in the idle loop. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct thread;

/* One entry of a poll(): the thread waits on a list of waiters. It may also be a watch for others
 * (epoll): then it has no thread but a state of THREAD_NONE, and watch_woken() is called. */
struct poll_waiter {
        struct thread *thread;
        struct poll_waiter *next, **link; /* link: the pointer to this entry */
};

/* The threads that wait for one event. Zeroed = empty. */
struct waiters {
        struct thread *first;
        struct poll_waiter *polls; /* woken, too; each may be on several lists */
};

/* Sleeps until woken. False = a signal is pending: the call returns call_interrupted(). Check the
 * condition again after waking. */
bool wait_on(struct waiters *waiters);
/* The same, with a timeout; true also when the clock reaches that moment. */
bool wait_until(struct waiters *waiters, uint64_t moment);
/* The same, ignoring signals: for a device's answer, which arrives soon or is given up. */
void wait_through(struct waiters *waiters, uint64_t moment);
/* The same on the lists to which the caller added the thread: until wake() of this thread. */
bool wait_woken(void);
bool wait_woken_until(uint64_t moment);
void wake_waiters(struct waiters *waiters), wake_each(struct waiters *waiters);
extern void (*watch_woken)(void *state); /* set by file/epoll.c */
static inline void wake_all(struct waiters *waiters)
{
        if (waiters->first)
                wake_waiters(waiters);
        else if (__builtin_expect(waiters->polls != NULL, false))
                wake_each(waiters);
}
void wake(struct thread *thread); /* wakes from any sleep */

/* Gives the processor to the next ready thread; returns at this thread's next turn. */
void schedule(void);
void schedule_with_flags(uintptr_t flags); /* call from a direct call, with FLAGS_OF_PROGRAM */
/* schedule() for an ended process; interrupts are off. */
_Noreturn void schedule_leave(void);
void switch_part(size_t part); /* of part.def, from 1; 0 = none (unix/process/switched.c) */
/* For the kernel's own context: halts until an interrupt, if no thread is ready. */
void schedule_idle(void);
extern uint32_t schedule_idle_ticks, schedule_busy_ticks; /* timer ticks while idle, while busy */
/* Time of the first alarm, and whether a tick-counting one has expired: set by their owner. */
#define ALARM_NEVER UINT64_MAX
extern uint64_t alarm_first;
extern bool alarm_counted;
extern bool alarm_fine;   /* the clock moves between ticks */
void schedule_time(void); /* call if an alarm may expire before the next tick */
/* From now on ticks end turns. at_tick (NULL = nothing) runs in the timer's interrupt, with the
 * current thread or NULL. */
void schedule_init(void (*at_tick)(struct thread *));
/* Makes a new thread ready: it runs before the current one continues, or at its turn. */
void schedule_add(struct thread *thread);
void schedule_add_last(struct thread *thread);
