/* heap.h - memory for the kernel's own objects, up to a page each. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

/* Zeroed, aligned to 16 bytes; NULL = out of memory (or `size` is above PAGE_SIZE). Not for
 * interrupt handlers. */
void *heap_allocate(size_t size);
void *heap_take(size_t size); /* the same, contents undefined */
void heap_free(void *object); /* NULL is allowed */
extern size_t heap_objects;   /* in use */
extern size_t heap_frames;    /* in use for objects, including free ones */
/* Sorts 200 free objects by their pages, and frees pages without objects. False = few objects are
 * free, or all are sorted. */
bool heap_sort(void);
/* Bytes that an object of this size occupies. */
size_t heap_room(size_t size);
