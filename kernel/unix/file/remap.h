/* remap.h - moving and protecting areas, for mremap and mprotect. The caller aligns addresses and
 * keeps them below the limit; an int is 0 or -errno. */
#pragma once
#include "mem/memory.h"

bool memory_is_whole(const struct memory *memory, uintptr_t start, size_t size); /* no hole */
/* Moves the pages of one area to a free place of the same or greater length (`new`). A shared area
 * cannot grow. */
int memory_move(struct memory *memory, uintptr_t from, size_t old, uintptr_t to, size_t new);
/* Changes the pages up to a hole; -ENOMEM if there is one, -EACCES for pages that can never be
 * writable. */
int memory_protect(struct memory *memory, uintptr_t start, size_t size, unsigned flags);
