/* remote.c - reads the memory of any process through its page tables. */
#include "process/process.h"
#include "lib/string.h"
#include "mem/frame.h"
#include "mem/memory.h"
#include "mem/space.h"

bool memory_read(const struct memory *memory, uintptr_t from, void *to, size_t size)
{
        uint8_t *data = to;
        while (size) {
                size_t offset = from & (PAGE_SIZE - 1);
                size_t part = PAGE_SIZE - offset < size ? PAGE_SIZE - offset : size;
                const pte_t *entry = space_entry(memory->space, from);
                if (!entry || !(*entry & PTE_OWNED))
                        return false;
                memcpy(data, (const uint8_t *)DIRECT(*entry & PTE_ADDRESS) + offset, part);
                data += part;
                from += part;
                size -= part;
        }
        return true;
}
