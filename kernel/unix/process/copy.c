/* copy.c - copies a program's memory for fork. */
#include "process/copy.h"
#include "context.h"
#include "cpu/window.h"
#include "mem/space.h"
#include "mem/tree.h"
#include "above.h"

#define PART ((size_t)16 << 20) /* bytes: at most 4,096 pages in 8 tables */

/* Copies in parts, so that others can run in between, threads of this memory too: each part's pages
 * are write-protected for them before they do. A small memory is copied at once. */
static bool copy_range(struct memory *to, const struct memory *from, uintptr_t at, uintptr_t end)
{
        if (from->resident <= FEW)
                return space_copy(to, from->space, at, end);
        for (uintptr_t stop; at < end; at = stop) {
                bool there = space_next(from->space, &at, end, true);
                stop = there && end - at > PART ? at + PART : there ? end : at;
                bool copied = !there || space_copy(to, from->space, at, stop);
                if (from->users > 1)
                        space_load(from->space);
                if (!copied || !work_goes_on())
                        return false;
        }
        return true;
}

/* Range by range: close areas are copied as one. */
static bool copy_pages(struct memory *to, const struct memory *from)
{
        bool good = true;
        uintptr_t end;
        for (const struct area *area = to->areas; good && area;) {
                uintptr_t start = area->start;
                area = tree_range(area, &end);
                good = copy_range(to, from, start, end);
        }
        space_load(from->space); /* some pages are now write-protected */
        return good;
}

bool memory_copy(struct memory **made, struct memory *from)
{
        struct memory *to = *made = memory_create(from->origin);
        if (!to)
                return false;
        to->program = from->program;
        to->arguments = from->arguments;
        to->environment = from->environment;
        to->strings_end = from->strings_end;
        to->heap = from->heap;
        to->heap_end = from->heap_end;
        to->area_count = from->area_count;
        if (from->executes)
                above.file(FILE_EXECUTED, from->executes, to);
        bool copied = tree_copy(to, from) && copy_pages(to, from);
        to->stray = from->stray; /* other threads may have missed pages meanwhile */
        if (copied)
                return true;
        *made = NULL;
        memory_release(to);
        return false;
}
