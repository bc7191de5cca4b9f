/* alarm.h - the three interval timers of a process (setitimer(2)), and who rings them. */
#ifndef TOLLGATE_UNIX_PROCESS_ALARM_H
#define TOLLGATE_UNIX_PROCESS_ALARM_H

#include <stdbool.h>
#include <stdint.h>

struct process;

#define ALARM_NEVER UINT64_MAX

/* ITIMER_REAL's in moments (clock/page.h); the others' in ticks that the process has, all of them
 * or those in its own code. */
enum {
        ITIMER_REAL,
        ITIMER_VIRTUAL,
        ITIMER_PROF,
        ITIMERS
};
struct alarm {
        uint64_t left, interval; /* left: ITIMER_REAL's end; 0 = it is not set */
};

extern uint64_t alarm_first; /* when the next ITIMER_REAL ends */
extern bool alarm_counted;   /* one of the others has ended */

void alarm_tick(struct process *process, bool user); /* in the timer's interrupt */
void alarm_ring(uint64_t now);                       /* what has ended: signals are sent */

#endif
