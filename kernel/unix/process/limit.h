/*
 * limit.h - the address limit: where the memory ends that a thread's calls may be given pointers
 * to.
 *
 * It starts as the end of the program's half. Kernel code that makes a call with a buffer of its
 * own lifts the limit, and restores it (Linux's get_fs() and set_fs(), as it had them to 5.9):
 *
 *      uintptr_t limit = limit_get();
 *      limit_set(LIMIT_NONE);
 *      ...
 *      limit_set(limit);
 *
 * If the last line is missing, the program can write kernel memory by read(). So a thread that
 * leaves for CPL 3 with a lifted limit is killed: a ring-3 program's has WORK_LIMIT set while it is
 * lifted, which the way out looks at anyway. At CPL 0 nothing would be won; execve() to ring 3 sets
 * the bit.
 */
#ifndef TOLLGATE_UNIX_PROCESS_LIMIT_H
#define TOLLGATE_UNIX_PROCESS_LIMIT_H

#include <stdbool.h>
#include <stdint.h>
#include "mem/memory.h"
#include "thread/thread.h"

#define LIMIT_NONE UINTPTR_MAX

/* The limit of the current thread; also kernel functions by name (export.def). */
uintptr_t limit_get(void);
void limit_set(uintptr_t limit);

/* Trusted programs may set it, for a demonstration of the hole, until the kernel starts the next
 * program: no way out looks. */
extern bool limit_unchecked;

static inline bool limit_lifted(const struct thread *thread)
{
        return thread->limit != thread->memory->limit;
}

void limit_watch(struct thread *thread); /* sets or takes its WORK_LIMIT */
_Noreturn void limit_leave(void);        /* the way out of a thread whose WORK_LIMIT is set */

#endif
