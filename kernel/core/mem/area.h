/* area.h - the steps of a change of areas, for area.c and for what Unix adds (file/remap.c). */
#ifndef TOLLGATE_CORE_MEM_AREA_H
#define TOLLGATE_CORE_MEM_AREA_H

#include "mem/memory.h"

#define TABLE ((uintptr_t)PAGE_SIZE << PAGE_INDEX_BITS) /* what a table of pages maps */

struct area *area_create(struct memory *memory); /* NULL = out of memory, or too many */
void area_destroy(struct memory *memory, struct area *area);
/* Both ends become borders of areas. False = out of memory. */
CAN_FAIL bool areas_split(struct memory *memory, uintptr_t start, uintptr_t end);
/* Neighbours of one kind become one area, from the one before a range to the one behind it. */
void areas_merge(struct memory *memory, uintptr_t start, uintptr_t end);
/* PROT_WRITE and PROT_EXEC bring PROT_READ with them, as on every x86. */
void area_set_flags(const struct memory *memory, struct area *area, unsigned flags);
/* Whether work on so much of it is so long that others have their turn meanwhile. */
bool memory_is_long(const struct memory *memory, size_t size);

#endif
