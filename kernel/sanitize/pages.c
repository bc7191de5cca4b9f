/* pages.c - compares a program's page tables with its areas.
 *
 * Each page of a program's half must be in an area, have no more rights than the area, and use a
 * frame allocated for programs or files. A writable one is not shared, except in shared areas. A
 * frame with one user is at one address of one memory; that of a shared mapping is its file's. It
 * checks the page of each fault, and all pages when the memory ends, or when it has had as many
 * faults and changes as pages.
 *
 * Not detected: the wrong file's frame in a private mapping. */
#include "sanitize/sanitize.h"
#include <stdbool.h>
#include "mem/frame.h"
#include "mem/memory.h"
#include "mem/space.h"
#include "node/node.h"
#include "thread/thread.h"

#define INDEXES (1u << PAGE_INDEX_BITS)
#define ROOT_INDEXES (KERNEL_BASE >> (12 + (PAGE_LEVELS - 1) * PAGE_INDEX_BITS) & (INDEXES - 1))
#define FEWEST 16 /* changes between two checks */
#define ACCESSED_DIRTY 0x60

extern char rodata_end[], image_end[];

static _Noreturn void report(const struct frame *caller, uintptr_t at, pte_t entry,
                             const char *what)
{
        panic(caller, "the page at %p, entry %llx, %s", (void *)at, (unsigned long long)entry,
              what);
}

/* Checks the kernel's pages behind the areas: code, time and probe page. */
static const char *wrong_behind(pte_t entry)
{
        uintptr_t frame = entry & PTE_ADDRESS;
        bool owned = entry & PTE_OWNED && sanitize_owner(frame) == OWNER_PROGRAM;
        if (entry & PTE_WRITE ? frame < PHYSICAL(rodata_end) : frame >= PHYSICAL(image_end))
                return owned && entry & PTE_WRITE ? NULL : "is none that the kernel shows";
        return frame < PHYSICAL(image_end) || owned ? NULL : "has a frame that is not the memory's";
}

/* Pages whose frames had one user. Frames that share a place forget one another. */
static struct {
        uintptr_t frame, at;
        uint64_t order; /* its memory's */
} alone[512];

static bool is_elsewhere(const struct memory *memory, uintptr_t at, uintptr_t frame)
{
        typeof(alone[0]) *seen = &alone[frame / PAGE_SIZE % (sizeof alone / sizeof *alone)];
        if (seen->frame == frame && (seen->at != at || seen->order != memory->order)) {
                const struct thread *t = threads;
                while (t && !(t->memory && t->memory->order == seen->order))
                        t = t->next;
                const pte_t *entry = t ? space_entry(t->memory->space, seen->at) : NULL;
                if (entry && *entry & PTE_OWNED && (*entry & PTE_ADDRESS) == frame)
                        return true;
        }
        seen->frame = frame;
        seen->at = at;
        seen->order = memory->order;
        return false;
}

static bool is_not_the_files(const struct area *area, uintptr_t at, uintptr_t frame)
{
        struct node *node = area->flags & AREA_SHARED ? area->node : NULL;
        uintptr_t right = node && node->kind->frame
                                  ? node->kind->frame(node, area->offset + (at - area->start))
                                  : 0;
        return right && right != frame;
}

/* NULL = nothing. */
static const char *wrong(const struct memory *memory, uintptr_t at, pte_t entry)
{
        const pte_t rights = PTE_PRESENT | PTE_WRITE | PTE_USER;
        const struct area *area = memory_area(memory, at);
        uintptr_t frame = entry & PTE_ADDRESS;
        if (at >= memory->limit)
                return wrong_behind(entry);
        if (!area || at < area->start)
                return "lies in no area";
        if (entry & ~(PTE_ADDRESS | PTE_NX | rights | ACCESSED_DIRTY | PTE_OWNED | PTE_SHARED))
                return "has bits that no page has";
        if (!(entry & PTE_OWNED))
                return "has a frame that is not the memory's";
        if ((entry & rights) & ~area->entry || (area->entry & ~entry) & PTE_NX)
                return "has rights that its area has not";
        if (sanitize_owner(frame) != OWNER_PROGRAM)
                return sanitize_owner(frame) ? "has a frame of the kernel's"
                                             : "has a frame that is free";
        if (entry & PTE_WRITE && !(area->flags & AREA_SHARED) && frame_users(frame) > 1)
                return "may be written, and others have its frame";
        if (frame_users(frame) == 1 && is_elsewhere(memory, at, frame))
                return "has a frame that another page has";
        if (is_not_the_files(area, at, frame))
                return "has a frame that is not its file's";
        return NULL;
}

static void look_at(const struct memory *memory, pte_t *table, int level, uintptr_t at,
                    const struct frame *caller)
{
        unsigned count = level == PAGE_LEVELS - 1 ? ROOT_INDEXES : INDEXES;
        for (unsigned i = 0; i < count;
             i++, at += (uintptr_t)PAGE_SIZE << level * PAGE_INDEX_BITS) {
                const char *what = NULL;
                if (!table[i])
                        continue;
                if (!level)
                        what = wrong(memory, at, table[i]);
                else if (sanitize_owner(table[i] & PTE_ADDRESS) != OWNER_KERNEL)
                        what = "is a table in a frame that is not the kernel's";
                else
                        look_at(memory, DIRECT(table[i] & PTE_ADDRESS), level - 1, at, caller);
                if (what)
                        report(caller, at, table[i], what);
        }
}

/* Several threads may be in the middle of a change. */
static void look_at_all(const struct memory *memory, const struct frame *caller)
{
        if (memory && memory->users == 1 && memory->space)
                look_at(memory, DIRECT(memory->space), PAGE_LEVELS - 1, 0, caller);
}

static void has_changed(const struct memory *memory, const struct frame *caller)
{
        static size_t changes;
        if (changes++ < FEWEST + memory->resident)
                return;
        changes = 0;
        look_at_all(memory, caller);
}

/* Right even if other threads are in the midst of a change. */
static void look_at_page(const struct memory *memory, uintptr_t at, const struct frame *caller)
{
        const pte_t *entry = space_entry(memory->space, at);
        const char *what = entry && *entry ? wrong(memory, at, *entry) : NULL;
        if (what)
                report(caller, at, *entry, what);
}

WRAP(enum fault, memory_fault, struct memory *memory, uintptr_t address, unsigned access)
{
        enum fault found = __real_memory_fault(memory, address, access);
        if (found == FAULT_RESOLVED)
                look_at_page(memory, address & ~(uintptr_t)(PAGE_SIZE - 1), CALLER);
        has_changed(memory, CALLER);
        return found;
}

WRAP(int, memory_map_file, struct memory *memory, uintptr_t start, size_t size, unsigned flags,
     struct node *node, uint64_t offset)
{
        int error = __real_memory_map_file(memory, start, size, flags, node, offset);
        has_changed(memory, CALLER);
        return error;
}

WRAP(int, memory_unmap, struct memory *memory, uintptr_t start, size_t size)
{
        int error = __real_memory_unmap(memory, start, size);
        has_changed(memory, CALLER);
        return error;
}

WRAP(int, memory_protect, struct memory *memory, uintptr_t start, size_t size, unsigned flags)
{
        int error = __real_memory_protect(memory, start, size, flags);
        has_changed(memory, CALLER);
        return error;
}

WRAP(int, memory_move, struct memory *memory, uintptr_t from, size_t old, uintptr_t to, size_t new)
{
        int error = __real_memory_move(memory, from, old, to, new);
        for (uintptr_t at = to; !error && at < to + old && at < to + new; at += PAGE_SIZE)
                look_at_page(memory, at, CALLER);
        has_changed(memory, CALLER);
        return error;
}

WRAP(bool, memory_shed, struct memory *memory)
{
        if (memory && memory->resident > FEW)
                look_at_all(memory, CALLER);
        return __real_memory_shed(memory);
}

WRAP(void, memory_leave, struct memory *memory)
{
        look_at_all(memory, CALLER);
        __real_memory_leave(memory);
}
