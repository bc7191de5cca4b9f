/* current.h - what runs on the one processor, at absolute addresses: the entries use them before
 * they have a stack. */
#ifndef TOLLGATE_CORE_CPU_CURRENT_H
#define TOLLGATE_CORE_CPU_CURRENT_H

#include <stdbool.h>
#include <stdint.h>

/* What the halves read before they are on the whole table of pages (arch's isolation.c). */
#define SHOWN __attribute__((section(".data.shown")))

extern char boot_stack_top[]; /* where the kernel itself runs (boot/stack.asm) */
struct thread;                /* thread/thread.h */

extern struct thread *cpu_current; /* NULL while the kernel itself runs */
extern struct thread *threads;     /* all of them, ended or not */
extern uintptr_t cpu_stack;        /* the top of the kernel stack that entries start on */
extern uintptr_t
        cpu_user_sp;        /* the program's stack pointer, while an entry has no register for it */
extern uint8_t cpu_trusted; /* 1 while a trusted program is current */
extern bool cpu_quiet;      /* every device's line is masked (machine/quiet.h) */

#endif
