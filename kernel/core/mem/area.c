/* area.c - maps and unmaps areas. */
#include "cpu/cpu.h"
#include "cpu/window.h"
#include "cpu/work.h"
#include "errno.h"
#include "mem/area.h"
#include "mem/frame.h"
#include "mem/heap.h"
#include "mem/memory.h"
#include "mem/space.h"
#include "mem/tree.h"
#include "above.h"

bool memory_is_free(const struct memory *memory, uintptr_t start, size_t size)
{
        const struct area *area = memory_area(memory, start);
        return !area || start + size <= tree_floor(area);
}

struct area *area_create(struct memory *memory)
{
        struct area *area = memory->area_count < AREAS_MAX ? heap_allocate(sizeof *area) : NULL;
        memory->area_count += area != NULL;
        return area;
}

void area_destroy(struct memory *memory, struct area *area)
{
        if (!area)
                return;
        memory->area_count--;
        area_free(area);
}

static void forget_found(struct memory *memory)
{
        memory->found = &area_nowhere;
        memory->gap_end = 0;
}

bool memory_is_long(const struct memory *memory, size_t size)
{
        return memory->resident > MANY || memory->area_count > 2 * FEW || size > FEW / 2 * TABLE;
}

/* Splits an area at `at` if that is inside one. */
static bool split(struct memory *memory, uintptr_t at)
{
        struct area *area = memory_area(memory, at);
        if (!area || area->start >= at)
                return true;
        struct area *upper = area_create(memory);
        if (!upper)
                return false;
        *upper = *area;
        area_hold(upper);
        upper->offset += at - area->start;
        upper->start = area->end = at;
        tree_add(memory, upper);
        return true;
}

bool areas_split(struct memory *memory, uintptr_t start, uintptr_t end)
{
        forget_found(memory);
        return split(memory, start) && split(memory, end);
}

static bool continues(const struct area *area, const struct area *next)
{
        return next && next->start == area->end && next->flags == area->flags &&
               next->node == area->node &&
               (!area->node || next->offset == area->offset + (next->start - area->start));
}

void areas_merge(struct memory *memory, uintptr_t start, uintptr_t end)
{
        struct area *area = tree_before(memory, start);
        for (area = area ? area : memory->areas; area && area->start <= end; area = area->next) {
                struct area *next;
                interrupt_window();
                while (continues(area, next = area->next)) {
                        tree_remove(memory, next);
                        area->end = next->end;
                        tree_changed(memory, area);
                        area_destroy(memory, next);
                        forget_found(memory);
                        work_goes_on();
                }
        }
        forget_found(memory);
}

/* Frees each table with its last page. With turns, stops early to let other threads run; returns
 * the address reached. */
static uintptr_t drop_pages(struct memory *memory, uintptr_t start, uintptr_t end, bool turns)
{
        pte_t *entry;
        uintptr_t at = start, last = 0;
        memory->peak = memory_peak(memory);
        for (; (entry = space_next(memory->space, &at, end, turns)); at += PAGE_SIZE) {
                if (turns && last && cpu_work & WORK_RESCHEDULE)
                        break;
                uintptr_t frame = *entry & PTE_ADDRESS;
                if (last && last / TABLE != at / TABLE)
                        space_prune(memory, last);
                last = at;
                *entry = 0;
                memory->resident--;
                page_forget(at);
                frame_free(frame);
        }
        if (last)
                space_prune(memory, last);
        return at;
}

void memory_drop(struct memory *memory, uintptr_t start, uintptr_t end, unsigned but_flags)
{
        const struct area *area;
        bool turns = memory_is_long(memory, end - start);
        while (start < end && (area = memory_area(memory, start)) && area->start < end) {
                uintptr_t from = area->start > start ? area->start : start;
                start = area->end < end ? area->end : end;
                if (!(area->flags & but_flags))
                        start = drop_pages(memory, from, start, turns);
                turns ? (void)work_goes_on() : interrupt_window();
        }
}

/* A small or contiguous memory is freed faster when it ends. */
bool memory_shed(struct memory *memory)
{
        bool large =
                memory && memory->users == 1 && memory->resident > FEW &&
                (memory->resident > (size_t)4 * MANY || memory->tables + memory->area_count > FEW);
        if (large)
                memory_drop(memory, 0, memory->limit, 0);
        return large;
}

int memory_unmap(struct memory *memory, uintptr_t start, size_t size)
{
        uintptr_t end = start + size;
        bool turns = memory_is_long(memory, size);
        if (!areas_split(memory, start, end))
                return -ENOMEM;
        if (turns) /* areas are deleted later: until then other threads read zeros */
                memory_drop(memory, start, end, 0);
        struct area *area;
        while ((area = memory_area(memory, start)) && area->start < end) {
                uintptr_t from = area->start, to = area->end;
                interrupt_window();
                tree_remove(memory, area);
                area_destroy(memory, area);
                if (!turns)
                        continue;
                drop_pages(memory, from, to, false);
                forget_found(memory);
                work_goes_on();
        }
        if (!turns)
                drop_pages(memory, start, end, false);
        return 0;
}

void memory_cut(struct memory *memory, const struct node *node, uint64_t size)
{
        uint64_t end = (size + PAGE_SIZE - 1) & ~(uint64_t)(PAGE_SIZE - 1);
        const struct area *area;
        unsigned moves;
        do {
                moves = memory->moves;
                for (uintptr_t at = 0; (area = memory_area(memory, at)); work_goes_on()) {
                        uint64_t left = end > area->offset ? end - area->offset : 0;
                        uintptr_t from = area->start + (uintptr_t)left;
                        bool lost = area->node == node && left < area->end - area->start;
                        at = !lost ? area->end
                                   : drop_pages(memory, at > from ? at : from, area->end, true);
                }
        } while (moves != memory->moves);
}

void area_set_flags(const struct memory *memory, struct area *area, unsigned flags)
{
        area->flags = flags & (AREA_WRITE | AREA_EXECUTE) ? flags | AREA_READ : flags;
        area->of_zeros = area->node ? 0 : area->flags & AREA_ACCESS;
        area->entry = memory_entry_bits(memory, flags);
}

static bool populate(struct memory *memory, uintptr_t start, uintptr_t end)
{
        for (uintptr_t at = start; at < end; at += PAGE_SIZE)
                if (!work_goes_on() || !memory_page(memory, at))
                        return false;
        return true;
}

int memory_map(struct memory *memory, uintptr_t start, size_t size, unsigned flags)
{
        return memory_map_file(memory, start, size, flags, NULL, 0);
}

int memory_map_file(struct memory *memory, uintptr_t start, size_t size, unsigned flags,
                    struct node *node, uint64_t offset)
{
        struct area *area = area_create(memory);
        if (!area)
                return -ENOMEM;
        *area = (struct area){.start = start, .end = start + size, .node = node, .offset = offset};
        area_set_flags(memory, area, flags);
        area_hold(area);
        int error = memory_unmap(memory, start, size);
        if (error) {
                area_destroy(memory, area);
                return error;
        }
        tree_add(memory, area);
        if (flags & AREA_SHARED && !node && !populate(memory, start, start + size)) {
                memory_unmap(memory, start, size);
                return -ENOMEM;
        }
        areas_merge(memory, start, start + size);
        return 0;
}
