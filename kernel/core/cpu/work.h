/* work.h - what the way out to a program must see to first (unix/program/work.c). */
#ifndef TOLLGATE_CORE_CPU_WORK_H
#define TOLLGATE_CORE_CPU_WORK_H

#include <stdint.h>

/* Timer, terminal and disk set bits in interrupts; all others are set in process context. */
#define WORK_SINGLE_STEP 1 /* TF was taken off at the entry: leave by IRET with it */
#define WORK_EXIT 2        /* the thread has ended in an interrupt or in its last call */
#define WORK_DEVICE 4      /* the terminal has bytes to look at, or a disk has answered */
#define WORK_SIGNAL 8      /* a signal is pending that it wants */
#define WORK_RESCHEDULE 16 /* it is somebody else's turn */
#define WORK_STOP 32       /* another thread of its process took a signal that stops */
#define WORK_LIMIT 64      /* its address limit is lifted, and its program is ring 3's */
#define WORK_METER 128     /* this way out is measured; not while work_do() runs (latency.c) */
#define WORK_GLOBAL (WORK_DEVICE) /* nobody's in particular: goes on with the next thread */

extern uint8_t cpu_work; /* of the current thread */

/* In one instruction: interrupts add work, too. */
static inline void work_add(uint8_t bits)
{
        __asm__ volatile("orb %1, %0" : "+m"(cpu_work) : "ri"(bits));
}

#endif
