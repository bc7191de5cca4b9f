/*
 * tree.h - the areas of a memory, which do not overlap, in the order of their addresses: a list to
 * go through and a balanced tree to search.
 */
#ifndef TOLLGATE_CORE_MEM_TREE_H
#define TOLLGATE_CORE_MEM_TREE_H

#include "mem/memory.h"

/* The first area that ends above `address`, the last that starts below it; NULL = none. */
struct area *tree_find(const struct memory *memory, uintptr_t address);
struct area *tree_before(const struct memory *memory, uintptr_t address);
/* The area that has it, or NULL. */
struct area *tree_at(const struct memory *memory, uintptr_t address);
/* Where nothing is. The area before it may have been made shorter. */
void tree_add(struct memory *memory, struct area *area);
void tree_remove(struct memory *memory, struct area *area);
/* An area ends elsewhere now. */
void tree_changed(struct memory *memory, struct area *area);
/* A copy of all, for a memory that has none. False = out of memory: then it has some, which the
 * list does not know. */
CAN_FAIL bool tree_copy(struct memory *to, const struct memory *from);
void tree_free(struct area *tree);
/* An area more, or one less, that maps its file; the latter frees it. */
void area_hold(struct area *area);
void area_free(struct area *area);

/* Where the room ends that lies below an area: a stack keeps its distance. */
uintptr_t tree_floor(const struct area *area);
/* The highest room for `size` bytes below `top`, 0 = none. */
uintptr_t tree_room(const struct memory *memory, size_t size, uintptr_t top);

#define NEAR (64 * PAGE_SIZE) /* a gap that is looked through sooner than walked around */

/* The areas from this one on with no large gap between them, to *end; the next area, or NULL. */
static inline const struct area *tree_range(const struct area *area, uintptr_t *end)
{
        do {
                *end = area->end;
                area = area->next;
        } while (area && area->start - *end < NEAR);
        return area;
}

#endif
