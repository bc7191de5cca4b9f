/* area.c - the areas: mapped, unmapped, protected, and where there is room. */
#include "cpu/cpu.h"
#include "cpu/window.h"
#include "cpu/work.h"
#include "errno.h"
#include "mem/frame.h"
#include "mem/heap.h"
#include "mem/memory.h"
#include "mem/space.h"
#include "mem/tree.h"
#include "above.h"

struct area *memory_area(const struct memory *memory, uintptr_t address)
{
        return tree_find(memory, address);
}

bool memory_is_free(const struct memory *memory, uintptr_t start, size_t size)
{
        const struct area *area = memory_area(memory, start);
        return !area || start + size <= tree_floor(area);
}

uintptr_t memory_find_room(const struct memory *memory, size_t size, uintptr_t top)
{
        return tree_room(memory, size, top);
}

static struct area *create(struct memory *memory)
{
        struct area *area = memory->area_count < AREAS_MAX ? heap_allocate(sizeof *area) : NULL;
        memory->area_count += area != NULL;
        return area;
}

static void destroy(struct memory *memory, struct area *area)
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

#define TABLE ((uintptr_t)PAGE_SIZE << PAGE_INDEX_BITS) /* what a table of pages maps */
#define AREAS_MANY 128
#define TABLES_MANY 32

/* Whether work on so much of it is so long that others have their turn meanwhile. */
static bool is_long(const struct memory *memory, size_t size)
{
        return memory->resident > MANY || memory->area_count > AREAS_MANY ||
               size > TABLES_MANY * TABLE;
}

/* True = others have had their turn, and what was known of areas and pages need not be so. */
static bool let_others(void)
{
        interrupt_window();
        if (!(cpu_work & WORK_RESCHEDULE))
                return false;
        work_goes_on();
        return true;
}

/* Makes `at` a border between two areas if it lies inside one. */
static bool split(struct memory *memory, uintptr_t at)
{
        struct area *area = memory_area(memory, at);
        if (!area || area->start >= at)
                return true;
        struct area *upper = create(memory);
        if (!upper)
                return false;
        *upper = *area;
        area_hold(upper);
        upper->offset += at - area->start;
        upper->start = area->end = at;
        tree_add(memory, upper);
        return true;
}

static bool split_around(struct memory *memory, uintptr_t start, uintptr_t end)
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

/* Neighbours of one kind become one area, from the one before a range to the one behind it. */
static void merge(struct memory *memory, uintptr_t start, uintptr_t end)
{
        struct area *area = tree_before(memory, start);
        for (area = area ? area : memory->areas; area && area->start <= end; area = area->next) {
                struct area *next;
                interrupt_window();
                while (continues(area, next = area->next)) {
                        tree_remove(memory, next);
                        area->end = next->end;
                        tree_changed(memory, area);
                        destroy(memory, next);
                        uintptr_t at = area->start;
                        if (let_others()) {
                                forget_found(memory);
                                if (!(area = memory_area(memory, at)))
                                        return;
                        }
                }
        }
        forget_found(memory);
}

/* A table goes with its last page. With turns it ends where others are to have theirs: at what
 * address. */
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
                        space_prune(memory->space, last);
                last = at;
                *entry = 0;
                memory->resident--;
                page_forget(at);
                frame_free(frame);
        }
        if (last)
                space_prune(memory->space, last);
        return at;
}

void memory_drop(struct memory *memory, uintptr_t start, uintptr_t end, unsigned but_flags)
{
        const struct area *area;
        bool turns = is_long(memory, end - start);
        while (start < end && (area = tree_find(memory, start)) && area->start < end) {
                uintptr_t from = area->start > start ? area->start : start;
                start = area->end < end ? area->end : end;
                if (!(area->flags & but_flags))
                        start = drop_pages(memory, from, start, turns);
                turns ? (void)work_goes_on() : interrupt_window();
        }
}

/* Whether its pages may have many tables: of a small memory, or one that lies together, they go
 * faster at its end. */
static bool is_scattered(const struct memory *memory)
{
        size_t tables = memory->area_count;
        for (const struct area *area = memory->areas; area; area = area->next)
                tables += (area->end - area->start) / TABLE;
        return tables > FEW;
}

void memory_shed(struct memory *memory)
{
        if (memory && memory->users == 1 && memory->resident > FEW &&
            (memory->resident > (size_t)4 * MANY || is_scattered(memory)))
                memory_drop(memory, 0, memory->limit, 0);
}

int memory_unmap(struct memory *memory, uintptr_t start, size_t size)
{
        uintptr_t end = start + size;
        bool turns = is_long(memory, size);
        if (!split_around(memory, start, end))
                return -ENOMEM;
        if (turns) { /* their areas go later: others find zeros meanwhile */
                memory_drop(memory, start, end, 0);
                if (!split_around(memory, start, end))
                        return -ENOMEM;
        }
        struct area *area;
        while ((area = tree_find(memory, start)) && area->start < end) {
                uintptr_t from = area->start, to = area->end;
                interrupt_window();
                tree_remove(memory, area);
                destroy(memory, area);
                if (!turns)
                        continue;
                drop_pages(memory, from, to, false);
                if (let_others() && !split_around(memory, start, end))
                        return -ENOMEM;
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

/* PROT_WRITE and PROT_EXEC bring PROT_READ with them, as on every x86. */
static void set_flags(const struct memory *memory, struct area *area, unsigned flags)
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
        struct area *area = create(memory);
        int error = area ? memory_unmap(memory, start, size) : -ENOMEM;
        if (error) {
                destroy(memory, area);
                return error;
        }
        *area = (struct area){.start = start, .end = start + size, .node = node, .offset = offset};
        area_hold(area);
        set_flags(memory, area, flags);
        tree_add(memory, area);
        merge(memory, start, start + size);
        if (flags & AREA_SHARED && !node && !populate(memory, start, start + size)) {
                memory_unmap(memory, start, size);
                return -ENOMEM;
        }
        return 0;
}

/* The tables of a range that map nothing any more. */
static void prune_range(const struct memory *memory, uintptr_t start, uintptr_t end)
{
        for (uintptr_t at = start; at < end; at = (at & ~(TABLE - 1)) + TABLE) {
                work_goes_on();
                space_prune(memory->space, at);
        }
}

/* Moves pages. False = out of memory for a table, and some have moved. `turns` are given only if no
 * other thread can see the work half done, by sharing the memory or cutting the file. */
static bool move_pages(const struct memory *memory, uintptr_t from, uintptr_t to, size_t size,
                       const struct area *was)
{
        pte_t *entry, *there;
        bool turns = is_long(memory, size) && memory->users == 1 && !was->node;
        for (uintptr_t at = from; at < from + size;) {
                if ((entry = space_next(memory->space, &at, from + size, turns))) {
                        there = space_reach(memory->space, to + (at - from), was->entry & PTE_USER);
                        if (!there)
                                return false;
                        *there = *entry;
                        *entry = 0;
                        page_forget(at);
                        at += PAGE_SIZE;
                }
                if (turns)
                        work_goes_on();
        }
        return true;
}

/* Steps that can fail come first. The tables for undoing them exist until then. */
int memory_move(struct memory *memory, uintptr_t from, size_t old, uintptr_t to, size_t new)
{
        struct area *area = create(memory);
        bool good = area && split_around(memory, from, from + old);
        struct area *was = memory_area(memory, from);
        if (good && !move_pages(memory, from, to, old, was)) {
                move_pages(memory, to, from, old, was);
                prune_range(memory, to, to + new);
                memory->stray = true; /* tables above the one that was missing */
                good = false;
        }
        if (!good) {
                destroy(memory, area);
                merge(memory, from, from + old);
                return -ENOMEM;
        }
        *area = *was;
        area_hold(area);
        area->flags &= ~(unsigned)AREA_GROWS_DOWN;
        area->start = to;
        area->end = to + new;
        memory->moves += area->node != NULL;
        tree_remove(memory, was);
        destroy(memory, was);
        tree_add(memory, area);
        merge(memory, to, to + new);
        prune_range(memory, from, from + old);
        return 0;
}

/* Where the first hole behind `start` begins, or `end`. */
static uintptr_t whole_to(const struct memory *memory, uintptr_t start, uintptr_t end)
{
        const struct area *area = memory_area(memory, start);
        for (; area && area->start <= start && start < end; area = area->next)
                start = area->end;
        return start < end ? start : end;
}

bool memory_is_whole(const struct memory *memory, uintptr_t start, size_t size)
{
        return whole_to(memory, start, start + size) == start + size;
}

/* The pages become as their areas say; with turns, those may be others behind each. */
static void refresh(const struct memory *memory, uintptr_t start, uintptr_t end)
{
        bool turns = is_long(memory, end - start);
        const struct area *area = memory_area(memory, start);
        pte_t *entry;
        for (uintptr_t at = start; at < end;) {
                if ((entry = space_next(memory->space, &at, end, turns))) {
                        if (at >= area->end || turns)
                                area = memory_area(memory, at);
                        *entry = memory_entry(area, *entry & PTE_ADDRESS);
                        page_forget(at);
                        at += PAGE_SIZE;
                }
                if (turns)
                        work_goes_on();
        }
}

/* If there is a hole, the part before it changes (as Linux). */
int memory_protect(struct memory *memory, uintptr_t start, size_t size, unsigned flags)
{
        uintptr_t end = whole_to(memory, start, start + size);
        if (end == start || !split_around(memory, start, end))
                return -ENOMEM;
        struct area *area = memory_area(memory, start);
        int error = end < start + size ? -ENOMEM : 0;
        for (; area && area->start < end; area = area->next) {
                interrupt_window();
                if (area->flags & AREA_READ_ONLY && flags & AREA_WRITE) {
                        error = -EACCES;
                        end = area->start;
                        break;
                }
                set_flags(memory, area, (area->flags & ~AREA_ACCESS) | (flags & AREA_ACCESS));
        }
        refresh(memory, start, end);
        merge(memory, start, end);
        return error;
}
