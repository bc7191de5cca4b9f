/* schedule.c - one processor, handed round. */
#include "proc/schedule.h"
#include "proc/process.h"

bool wait_on(struct waiters *waiters)
{
        (void)waiters;
        return false;
}

bool wait_until(struct waiters *waiters, uint32_t tick)
{
        (void)waiters, (void)tick;
        return false;
}

void schedule(void)
{
}

void wake(struct process *process)
{
        process->state = PROCESS_READY;
}

void wake_all(struct waiters *waiters)
{
        (void)waiters;
}
