/* schedule.c - one processor, handed round. */
#include "proc/schedule.h"

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

void wake_all(struct waiters *waiters)
{
        (void)waiters;
}
