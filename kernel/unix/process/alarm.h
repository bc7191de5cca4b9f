/* alarm.h - the three interval timers of a process (setitimer(2)). */
#ifndef TOLLGATE_UNIX_PROCESS_ALARM_H
#define TOLLGATE_UNIX_PROCESS_ALARM_H

#include <stdbool.h>
#include <stdint.h>

struct process;

void alarm_tick(struct process *process, bool user); /* in the timer's interrupt */
void alarm_ring(uint64_t now);                       /* sends the signals of the timers that have
                                                      * ended */
/* The process has taken SIGALRM, or may do so from now on: its timer that sent it goes on. One
 * whose signal is blocked or ignored rests until then, and costs nothing. */
void alarm_taken(struct process *process);

#endif
