/* change.c - threads that change the areas of one memory take turns. */
#include "process/change.h"
#include "mem/memory.h"
#include "thread/schedule.h"
#include "thread/thread.h"

/* Threads that wait for a change by another one, which may sleep until a disk has answered. */
static struct waiters *others(const struct memory *memory)
{
        static struct waiters lists[64];
        return &lists[(uintptr_t)memory / sizeof *memory % (sizeof lists / sizeof *lists)];
}

void memory_change(void)
{
        struct memory *memory = cpu_current->memory;
        for (unsigned turn = memory->asked++; memory->served != turn;)
                wait_through(others(memory), ALARM_NEVER);
}

long memory_changed(long result)
{
        struct memory *memory = cpu_current->memory;
        if (++memory->served != memory->asked)
                wake_all(others(memory));
        return result;
}
