/* window.h - where long work in the kernel lets interrupts in. */
#ifndef TOLLGATE_CPU_WINDOW_H
#define TOLLGATE_CPU_WINDOW_H

#include <stdint.h>

/* A point in long work of a call: interrupts come in here, for they are off otherwise. Nothing but
 * counters, input rings and cpu_work is another behind it. */
void interrupt_window(void);

/* A stretch with interrupts off begins, in counts of the TSC: *longest becomes its length where it
 * is longer. It ends at the call's end, in a window, or where another runs (proc/latency.h). */
void stretch_begin(uint64_t *longest);
/* Returns that `longest`; NULL = none had begun. */
uint64_t *stretch_end(void);
void stretch_drop(void); /* it has ended, nobody knows when */

#endif
