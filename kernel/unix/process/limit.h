/* limit.h - the address limit: the upper bound of pointers in a thread's calls.
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
 * leaves for CPL 3 with a lifted limit is killed. While it is lifted WORK_LIMIT is set for a ring-3
 * program, which the way out checks anyway. At CPL 0 that would protect nothing; execve() to ring 3
 * sets the bit. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "mem/memory.h"
#include "thread/thread.h"

#define LIMIT_NONE UINTPTR_MAX

/* The current thread's limit; programs call these by name, too (export.def). */
uintptr_t limit_get(void);
void limit_set(uintptr_t limit);

/* Trusted programs may set it to demonstrate the hole: no way out checks, until the kernel starts
 * the next program. */
extern bool limit_unchecked;

static inline bool limit_lifted(const struct thread *thread)
{
        return thread->limit != thread->memory->limit;
}

void limit_watch(struct thread *thread); /* sets or clears its WORK_LIMIT */
_Noreturn void limit_leave(void);        /* the exit of a thread with WORK_LIMIT */
