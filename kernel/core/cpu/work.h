/* work.h - work that is pending before the return to a program (unix/program/work.c). */
#pragma once
#include <stdint.h>

/* Timer, terminal and disk set bits in interrupts; the others are set in process context. */
#define WORK_SINGLE_STEP 1        /* TF was cleared at the entry: return by IRET with TF set */
#define WORK_EXIT 2               /* the thread ended in an interrupt or in its last call */
#define WORK_DEVICE 4             /* input, a disk's answer, or frames of a file to free */
#define WORK_SIGNAL 8             /* a signal is pending that the thread accepts */
#define WORK_RESCHEDULE 16        /* another thread's turn */
#define WORK_STOP 32              /* another thread of the process took a stop signal */
#define WORK_LIMIT 64             /* its address limit is lifted for a ring-3 program */
#define WORK_METER 128            /* this exit is measured; not while work_do() runs (latency.c) */
#define WORK_GLOBAL (WORK_DEVICE) /* bits that stay set for the next thread */

extern uint8_t cpu_work; /* the current thread's */

/* A single instruction, because interrupts add work, too. */
static inline void work_add(uint8_t bits)
{
        __asm__ volatile("orb %1, %0" : "+m"(cpu_work) : "ri"(bits));
}
