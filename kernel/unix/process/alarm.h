/* alarm.h - the three interval timers of a process (setitimer(2)). */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct process;

void alarm_tick(struct process *process, bool user); /* called in the timer's interrupt */
void alarm_ring(uint64_t now);                       /* sends the signals of expired timers */
/* The process took SIGALRM, or may do so from now on: restarts the timer that sent it. A timer
 * whose signal is blocked or ignored is stopped until then. */
void alarm_taken(struct process *process);
