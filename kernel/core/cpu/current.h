/* current.h - what runs on the one processor, at absolute addresses: the entries use them before
 * they have a stack. */
#ifndef TOLLGATE_CORE_CPU_CURRENT_H
#define TOLLGATE_CORE_CPU_CURRENT_H

#include <stdbool.h>
#include <stdint.h>

struct thread; /* thread/thread.h */

extern struct thread *cpu_current; /* NULL while the kernel itself runs */
extern uintptr_t cpu_stack;        /* the top of the kernel stack that entries start on */
extern uint8_t cpu_trusted;        /* 1 while a trusted program is current */
extern bool cpu_quiet;             /* every device's line is masked (machine/quiet.h) */

#endif
