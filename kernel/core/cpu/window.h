/* window.h - where long work in the kernel lets interrupts in. */
#ifndef TOLLGATE_CORE_CPU_WINDOW_H
#define TOLLGATE_CORE_CPU_WINDOW_H

#include <stdbool.h>

/* A point in long work of a call: interrupts come in here, for they are off otherwise. Nothing but
 * counters, input rings and cpu_work is another behind it. */
void interrupt_window(void);

/* A step of work that is as long as a program, a disk or a table of firmware says, in a loop that
 * has no bound of the kernel's own: an interrupt_window(), and others have their turn; only where
 * any of them may change what this call uses. False = the thread has been told to end: give up,
 * with what is done or -EINTR, which nobody sees. */
bool work_goes_on(void); /* thread/schedule.c */

/* Measures how long interrupts are off (toll/latency.h); NULL = nothing does. */
struct window_meter {
        void (*open)(void), (*close)(void);
        void (*sleep)(void), (*wake)(void); /* the idle loop, with IF = 1 between */
};
extern const struct window_meter *window_meter;

#endif
