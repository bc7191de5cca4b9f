/* window.h - where long work in the kernel lets interrupts in. */
#ifndef TOLLGATE_CORE_CPU_WINDOW_H
#define TOLLGATE_CORE_CPU_WINDOW_H

/* A point in long work of a call: interrupts come in here, for they are off otherwise. Nothing but
 * counters, input rings and cpu_work is another behind it. */
void interrupt_window(void);

/* Measures how long interrupts are off (toll/latency.h); NULL = nothing does. */
struct window_meter {
        void (*open)(void), (*close)(void);
        void (*sleep)(void), (*wake)(void); /* the idle loop, with IF = 1 between */
};
extern const struct window_meter *window_meter;

#endif
