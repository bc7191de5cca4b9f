/* memory.c - a pool that only grows until it is cut back to a mark. */
#include "sh.h"

#define POOL 131072

static char pool[POOL] __attribute__((aligned(16)));
size_t memory_used;

void *allocate(size_t size)
{
        size = (size + 15) & ~(size_t)15;
        if (size > POOL - memory_used) {
                say_error("a command needs more than %u bytes", POOL);
                exit_group(STATUS_MISUSE);
        }
        memory_used += size;
        return memset(pool + memory_used - size, 0, size);
}

char *text_copy(const char *text, size_t length)
{
        return memcpy(allocate(length + 1), text, length);
}

void memory_release(size_t mark)
{
        memory_used = mark;
}
