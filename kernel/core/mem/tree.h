/* tree.h - a memory's areas, sorted by address and not overlapping: a list for walks and a balanced
 * tree for searches. */
#pragma once
#include "mem/memory.h"

/* The last area that starts below `address`; NULL = none. */
struct area *tree_before(const struct memory *memory, uintptr_t address);
/* The area that contains the address, or NULL. */
struct area *tree_at(const struct memory *memory, uintptr_t address);
/* Adds an area where none is. The one before it may have been shortened. */
void tree_add(struct memory *memory, struct area *area);
void tree_remove(struct memory *memory, struct area *area);
/* To be called when an area's end has moved. */
void tree_changed(struct memory *memory, struct area *area);
/* Copies all areas into a memory without any. False = out of memory: then it has some that are not
 * in the list. */
CAN_FAIL bool tree_copy(struct memory *to, const struct memory *from);
void tree_free(struct area *tree);
/* Counts one more, or one fewer, area of its file; the second frees the area. */
void area_hold(const struct area *area);
void area_free(struct area *area);

/* End of the free room below an area: a stack keeps its distance. */
uintptr_t tree_floor(const struct area *area);
/* The highest gap of `size` bytes below `top`, 0 = none. */
uintptr_t tree_room(const struct memory *memory, size_t size, uintptr_t top);

#define NEAR (64 * PAGE_SIZE) /* a gap that is faster to scan than to skip */

/* The areas from this one on without a large gap, up to *end; returns the next area, or NULL. */
static inline const struct area *tree_range(const struct area *area, uintptr_t *end)
{
        do {
                *end = area->end;
                area = area->next;
        } while (area && area->start - *end < NEAR);
        return area;
}
