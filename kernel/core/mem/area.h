/* area.h - steps of changing areas, for area.c and its Unix additions (file/remap.c). */
#pragma once
#include "mem/memory.h"

#define TABLE ((uintptr_t)PAGE_SIZE << PAGE_INDEX_BITS) /* bytes that one page table maps */

struct area *area_create(struct memory *memory); /* NULL = out of memory, or too many areas */
void area_destroy(struct memory *memory, struct area *area);
/* Splits areas at both ends of the range. False = out of memory. */
CAN_FAIL bool areas_split(struct memory *memory, uintptr_t start, uintptr_t end);
/* Merges equal neighbours, from the area before a range to the one behind it. */
void areas_merge(struct memory *memory, uintptr_t start, uintptr_t end);
/* PROT_WRITE and PROT_EXEC imply PROT_READ, as on every x86. */
void area_set_flags(const struct memory *memory, struct area *area, unsigned flags);
/* Whether work on this many bytes takes so long that other threads should run meanwhile. */
bool memory_is_long(const struct memory *memory, size_t size);
