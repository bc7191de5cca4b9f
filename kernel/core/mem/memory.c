/* memory.c - a program's memory as a whole, and its page faults. */
#include "mem/memory.h"
#include "cpu/cpu.h"
#include "lib/string.h"
#include "mem/frame.h"
#include "mem/heap.h"
#include "mem/space.h"
#include "mem/tree.h"
#include "half.h"
#include "above.h"

struct area area_nowhere;

struct memory *memory_create(enum origin origin)
{
        static uint64_t made;
        struct memory *memory = heap_allocate(sizeof *memory);
        if (!memory)
                return NULL;
        *memory = (struct memory){.users = 1, .origin = origin, .limit = start_limit(origin)};
        memory->found = &area_nowhere;
        memory->order = ++made;
        memory->space = space_create();
        if (memory->space && start_gate_page(memory))
                return memory;
        memory_leave(memory);
        return NULL;
}

static void drop_all_pages(const struct memory *memory)
{
        uintptr_t end;
        for (const struct area *area = memory->areas; area;) {
                uintptr_t start = area->start;
                area = tree_range(area, &end);
                space_drop(memory->space, start, end, area ? area->start : memory->limit);
        }
}

void memory_leave(struct memory *memory)
{
        if (!memory || --memory->users)
                return;
        if (!memory->stray) /* range by range, a table could be freed before one below it */
                drop_all_pages(memory);
        tree_free(memory->tree);
        if (memory->space)
                space_destroy(memory->space, memory->stray ? 0 : memory->limit);
        if (memory->executes)
                above.file(FILE_EXECUTED, memory->executes, NULL);
        heap_free(memory);
}

pte_t memory_entry_bits(const struct memory *memory, unsigned flags)
{
        return PTE_OWNED | (flags & AREA_SHARED ? PTE_SHARED : 0) |
               (memory->origin == ORIGIN_TRUSTED ? 0 : PTE_USER) |
               (flags & AREA_ACCESS ? PTE_PRESENT : 0) | (flags & AREA_WRITE ? PTE_WRITE : 0) |
               (flags & AREA_EXECUTE ? 0 : PTE_NX);
}

pte_t memory_entry(const struct area *area, uintptr_t frame)
{
        bool copies = area->flags & AREA_SHARED ? area->node != NULL : frame_users(frame) > 1;
        return frame | (copies ? area->entry & ~(pte_t)PTE_WRITE : area->entry);
}

/* Copy-on-write: the first write to a page shared with a fork or a file, or protected by
 * memory_protect(). */
static enum fault own_page(const struct area *area, uintptr_t address, pte_t *entry)
{
        uintptr_t frame = *entry & PTE_ADDRESS;
        if (area->flags & AREA_SHARED) {
                if (area->node)
                        above.file(FILE_WRITTEN, area->node, NULL);
        } else if (frame_users(frame) > 1) {
                uintptr_t copy = frame_copy(frame);
                if (!copy)
                        return FAULT_NO_MEMORY;
                frame_free(frame);
                frame = copy;
        }
        *entry = frame | area->entry;
        page_forget(address);
        return FAULT_RESOLVED;
}

/* Reads the area's address again after the call: a saved register would cost more. */
static bool fill_page(struct memory *memory, struct area *const *area, pte_t *entry)
{
        uintptr_t frame = frame_allocate_ready();
        if (!frame)
                return false;
        *entry = frame | (*area)->entry;
        memory->resident++;
        return true;
}

/* The area of a page fault, or NULL; remembers it for the next fault. */
__attribute__((noinline)) static struct area *search(struct memory *memory, uintptr_t address)
{
        uintptr_t start = 0, end = memory->limit;
        if (address >= end)
                return NULL;
        for (struct area *area = memory->tree; area;) {
                if (address < area->start) {
                        end = area->start;
                        area = area->child[0];
                } else if (address >= area->end) {
                        start = area->end;
                        area = area->child[1];
                } else {
                        return memory->found = area;
                }
        }
        memory->gap = start;
        memory->gap_end = end;
        return NULL;
}

/* No page was free: its table is useless, and the fault may be repeated without the area. */
static __attribute__((cold, noinline)) enum fault missed(struct memory *memory)
{
        memory->stray = true;
        return FAULT_NO_MEMORY;
}

/* Its file has no page there: its tables may be empty. */
static __attribute__((cold, noinline)) enum fault beyond(struct memory *memory, uintptr_t address,
                                                         enum fault why)
{
        space_prune(memory, address);
        return why;
}

/* A page fault in an area with a file. */
static enum fault file_fault(struct memory *memory, uintptr_t address, unsigned access,
                             const struct area *area)
{
        pte_t *entry = space_reach(memory, address, area->entry & PTE_USER);
        if (!entry)
                return missed(memory);
        bool there = *entry & PTE_OWNED;
        enum fault found = there ? FAULT_FORBIDDEN : above.file_fault(area, address, entry);
        memory->resident += !there && found == FAULT_RESOLVED;
        if (access == AREA_WRITE && *entry & PTE_OWNED && !(*entry & PTE_WRITE))
                return own_page(area, address, entry);
        return there || found == FAULT_RESOLVED ? found : beyond(memory, address, found);
}

/* Handles a fault other than the first touch of a zero page. */
static __attribute__((noinline)) enum fault other_fault(struct memory *memory, uintptr_t address,
                                                        unsigned access, const struct area *area)
{
        return area->flags & access ? file_fault(memory, address, access, area) : FAULT_FORBIDDEN;
}

/* Handles a fault at an address in the area that was found. */
__attribute__((noinline)) static enum fault area_fault(struct memory *memory, uintptr_t address,
                                                       unsigned access)
{
        const struct area *area = memory->found;
        if (!(area->of_zeros & access))
                return other_fault(memory, address, access, area);
        pte_t *entry = space_reach(memory, address, area->entry & PTE_USER);
        if (!entry)
                return missed(memory);
        if (__builtin_expect(!(*entry & PTE_OWNED), true))
                return fill_page(memory, &memory->found, entry) ? FAULT_RESOLVED : missed(memory);
        if (access == AREA_WRITE && !(*entry & PTE_WRITE))
                return own_page(memory->found, address, entry);
        return FAULT_FORBIDDEN; /* the page matches its area: SMAP, or a reserved bit */
}

__attribute__((noinline)) static enum fault elsewhere_fault(struct memory *memory,
                                                            uintptr_t address, unsigned access)
{
        return search(memory, address) ? area_fault(memory, address, access) : FAULT_UNMAPPED;
}

enum fault memory_fault(struct memory *memory, uintptr_t address, unsigned access)
{
        const struct area *area = memory->found;
        if (__builtin_expect(address >= area->start && address < area->end, true))
                return area_fault(memory, address, access);
        if (address >= memory->gap && address < memory->gap_end)
                return FAULT_UNMAPPED;
        return elsewhere_fault(memory, address, access);
}

uint8_t *memory_page(struct memory *memory, uintptr_t address)
{
        struct area *area = memory_area(memory, address);
        pte_t *entry = area && address >= area->start
                               ? space_reach(memory, address, area->entry & PTE_USER)
                               : NULL;
        if (!entry)
                return missed(memory), NULL;
        bool there = *entry & PTE_OWNED ? own_page(area, address, entry) == FAULT_RESOLVED
                     : area->node ? file_fault(memory, address, AREA_WRITE, area) == FAULT_RESOLVED
                                  : fill_page(memory, &area, entry);
        if (!there)
                return frame_refill() ? memory_page(memory, address) : (missed(memory), NULL);
        return DIRECT(*entry & PTE_ADDRESS);
}

bool memory_fill(struct memory *memory, uintptr_t to, const void *from, size_t size)
{
        const uint8_t *data = from;
        while (size) {
                size_t offset = to & (PAGE_SIZE - 1);
                size_t part = PAGE_SIZE - offset < size ? PAGE_SIZE - offset : size;
                uint8_t *page = memory_page(memory, to);
                if (!page)
                        return false;
                memcpy(page + offset, data, part);
                data += part;
                to += part;
                size -= part;
        }
        return true;
}
