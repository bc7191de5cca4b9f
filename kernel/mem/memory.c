/* memory.c - areas and page faults. */
#include "mem/memory.h"
#include "mem/heap.h"
#include "mem/space.h"
#include "start.h"

struct memory *memory_create(enum mode mode)
{
        struct memory *memory = heap_allocate(sizeof *memory);
        if (!memory)
                return NULL;
        *memory = (struct memory){.users = 1, .mode = mode, .limit = start_limit(mode)};
        memory->space = space_create();
        if (memory->space && start_gate_page(memory))
                return memory;
        memory_release(memory);
        return NULL;
}

void memory_release(struct memory *memory)
{
        if (!memory || --memory->users)
                return;
        if (memory->space)
                space_destroy(memory->space);
        heap_free(memory);
}
