/* usage.h - the processor's time that somebody has had, by ticks of the timer. */
#ifndef TOLLGATE_UNIX_PROCESS_USAGE_H
#define TOLLGATE_UNIX_PROCESS_USAGE_H

#include "process/task.h"

static inline uint32_t usage_ticks(const struct usage *usage)
{
        return usage->user + usage->system;
}

static inline void usage_add(struct usage *to, const struct usage *more)
{
        to->user += more->user;
        to->system += more->system;
}

/* struct rusage of the program's: 0 or -EFAULT. */
long usage_write(uintptr_t to, const struct usage *usage);

/* In a tick: this thread had it, in the kernel or (`user`) in its own code. */
void usage_tick(struct thread *thread);

#endif
