/* usage.h - use of processor time, in timer ticks, and of memory. */
#pragma once
#include "process/task.h"

static inline void usage_add(struct usage *to, const struct usage *more)
{
        to->user += more->user;
        to->system += more->system;
        to->faults += more->faults;
        to->pages = more->pages > to->pages ? more->pages : to->pages;
}

/* Before a thread's memory is freed: saves its usage. For an ending thread: also its faults. */
void usage_leave(struct thread *thread);
/* A process's usage, with its threads and their memory. */
struct usage usage_of(const struct process *process);

/* Writes a program's struct rusage: 0 or -EFAULT. */
long usage_write(uintptr_t to, const struct usage *usage);

/* Called at a tick: counts it for this thread, in the kernel or (`user`) in its own code. */
void usage_tick(struct thread *thread);
