/* change.c - threads that change the areas of one memory take turns. */
#include "process/change.h"
#include "mem/memory.h"
#include "thread/schedule.h"
#include "thread/thread.h"

void memory_change(void)
{
        struct memory *memory = cpu_current->memory;
        for (unsigned turn = memory->asked++; memory->served != turn;)
                schedule();
}

long memory_changed(long result)
{
        cpu_current->memory->served++;
        return result;
}
