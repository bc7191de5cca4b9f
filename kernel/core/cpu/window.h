/* window.h - interrupt windows in long kernel work. */
#pragma once
#include <stdbool.h>

/* Lets interrupts in during a long call. Only counters, input rings and cpu_work can change in
 * it. */
void interrupt_window(void);

/* One step in a loop whose length is set by a program, a disk or a firmware table, not by the
 * kernel. Has an interrupt_window() and lets other threads run, so use it only where they may
 * change this call's data. False = the thread must end: give up, with a partial result or -EINTR,
 * which nobody sees. */
bool work_goes_on(void); /* thread/schedule.c */

/* Measures how long interrupts are off (toll/latency.h); NULL = not measured. */
struct window_meter {
        void (*open)(void), (*close)(void);
        void (*sleep)(void), (*wake)(void); /* around the idle loop, which has IF = 1 */
};
extern const struct window_meter *window_meter;
