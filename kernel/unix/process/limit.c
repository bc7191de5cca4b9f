/* limit.c - lifts and restores the address limit, and handles a forgotten restore. */
#include "process/limit.h"
#include "process/end.h"

bool limit_unchecked;

uintptr_t limit_get(void)
{
        return cpu_current->limit;
}

void limit_set(uintptr_t limit)
{
        cpu_current->limit = limit;
        limit_watch(cpu_current);
}

void limit_watch(struct thread *thread)
{
        uint8_t *work = work_of(thread);
        if (!thread->trusted && limit_lifted(thread) && !limit_unchecked)
                *work |= WORK_LIMIT;
        else
                *work &= (uint8_t)~WORK_LIMIT;
}

_Noreturn void limit_leave(void)
{
        cpu_current->limit = cpu_current->memory->limit;
        process_kill("it would have gone on in ring 3 with its address limit lifted; kernel code "
                     "that lifts it (limit_set) restores it");
}
