/* remap.c - areas that move (mremap) and get other access (mprotect). */
#include "file/remap.h"
#include "config.h"
#include "cpu/cpu.h"
#include "cpu/window.h"
#include "machine/console.h"
#include "errno.h"
#include "mem/area.h"
#include "mem/space.h"
#include "mem/tree.h"
#include "lib/string.h"
#include "process/end.h"
#include "process/process.h"
#include "site.h"

/* Frees the tables that pages have left which are now at `to`. */
static void prune_left(struct memory *memory, uintptr_t from, uintptr_t to, size_t size)
{
        for (uintptr_t at = to; at < to + size; work_goes_on())
                if (space_next(memory->space, &at, to + size, true)) {
                        uintptr_t left = from + (at - to);
                        space_prune(memory, left);
                        at += TABLE - left % TABLE;
                }
}

/* Moves pages. False = out of memory for a table, and some have moved. With `turns` other threads
 * run meanwhile, if none can see half-done work by sharing the memory or cutting the file. */
static bool move_pages(struct memory *memory, uintptr_t from, uintptr_t to, size_t size,
                       const struct area *was)
{
        pte_t *entry, *there;
        bool turns = memory_is_long(memory, size) && memory->users == 1 && !was->node;
        for (uintptr_t at = from; at < from + size;) {
                if ((entry = space_next(memory->space, &at, from + size, turns))) {
                        there = space_reach(memory, to + (at - from), was->entry & PTE_USER);
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

/* Steps that can fail come first, while the tables for undoing them exist. A stack may have grown
 * to where it moves, while others ran. */
static int move(struct memory *memory, uintptr_t from, size_t old, uintptr_t to, size_t new)
{
        struct area *area = memory_is_free(memory, to, new) ? area_create(memory) : NULL;
        bool good = area && areas_split(memory, from, from + old);
        struct area *was = memory_area(memory, from);
        if (good && !move_pages(memory, from, to, old, was)) {
                move_pages(memory, to, from, old, was);
                prune_left(memory, to, from, old);
                memory->stray = true; /* some upper tables may have been made */
                good = false;
        }
        if (!good) {
                area_destroy(memory, area);
                areas_merge(memory, from, from + old);
                return -ENOMEM;
        }
        *area = *was;
        area_hold(area);
        area->flags &= ~(unsigned)AREA_GROWS_DOWN;
        area->start = to;
        area->end = to + new;
        memory->moves += area->node != NULL;
        tree_remove(memory, was);
        area_destroy(memory, was);
        tree_add(memory, area);
        areas_merge(memory, to, to + new);
        prune_left(memory, from, to, old);
        return 0;
}

/* A memory that threads share, and an area of a file, move in parts, each with its area: others may
 * run between them, and find nothing half done. */
int memory_move(struct memory *memory, uintptr_t from, size_t old, uintptr_t to, size_t new)
{
        const size_t part = MANY * PAGE_SIZE;
        const struct area *area = memory_area(memory, from);
        bool parts = memory->users > 1 || (area && area->node);
        int error = 0;
        size_t done = 0;
        while (parts && !error && old - done > part) {
                uintptr_t used = from + done;
                if (!work_goes_on())
                        return -EINTR; /* it ends: what has moved is whole */
                if (!space_next(memory->space, &used, from + old, false))
                        break;
                size_t empty = used - from - done, size = empty > part ? empty : part;
                error = move(memory, from + done, size, to + done, size);
                done += error ? 0 : size;
        }
        if (!error)
                error = move(memory, from + done, old - done, to + done, new - done);
        if (error && done && move(memory, to, done, from, done))
                process_end_by(SIGKILL); /* no room for it, either way */
        return error;
}

/* The start of the first hole behind `start`, or `end`. */
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

/* Updates the pages to their areas' flags. */
static void refresh(struct memory *memory, uintptr_t start, uintptr_t end)
{
        bool turns = memory_is_long(memory, end - start);
        const struct area *area = memory_area(memory, start);
        pte_t *entry;
        for (uintptr_t at = start; at < end;) {
                if ((entry = space_next(memory->space, &at, end, turns))) {
                        if (at >= area->end)
                                area = memory_area(memory, at);
                        *entry = memory_entry(area, *entry & PTE_ADDRESS);
                        page_forget(at);
                        at += PAGE_SIZE;
                }
                if (turns)
                        work_goes_on();
        }
}

/* The program may change text that is writable: it finds the file's own, without calls. Dropped in
 * small parts, so that no other thread runs meanwhile. */
static void restore_text(struct memory *memory, struct area *area)
{
        const size_t part = FEW * PAGE_SIZE;
        for (uintptr_t at = area->start; at < area->end; at += part)
                memory_drop(memory, at, area->end - at < part ? area->end : at + part, 0);
        area_set_flags(memory, area, area->flags & ~(unsigned)AREA_CALLS);
        if (!strcmp(config.calls, "say"))
                say("%s: its text is made writable: %u system calls there stay SYSCALL\n",
                    task()->process->path, sites_count(area->node, area->start, area->end));
}

/* If there is a hole, the part before it changes (as on Linux). */
int memory_protect(struct memory *memory, uintptr_t start, size_t size, unsigned flags)
{
        uintptr_t end = whole_to(memory, start, start + size);
        if (end == start || !areas_split(memory, start, end))
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
                if (area->flags & AREA_CALLS && flags & AREA_WRITE)
                        restore_text(memory, area);
                area_set_flags(memory, area, (area->flags & ~AREA_ACCESS) | (flags & AREA_ACCESS));
        }
        refresh(memory, start, end);
        areas_merge(memory, start, end);
        return error;
}
