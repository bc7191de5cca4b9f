/* load.h - the segments of an ELF file become areas of a program's memory. */
#ifndef TOLLGATE_UNIX_PROGRAM_LOAD_H
#define TOLLGATE_UNIX_PROGRAM_LOAD_H

#include <stdbool.h>
#include "lib/elf.h"

struct memory;
struct node;

/* Where a program begins that may lie anywhere (ET_DYN): at two thirds of its half, as Linux's. */
uint64_t load_base(uintptr_t limit);
/* Whether the entry point lies in an executable segment. */
bool load_enters_code(const struct elf *elf);
/* Maps and fills them; the heap begins behind the last. `text`: flags that areas of text have
 * beside their access. NULL, or a sentence that says why not. */
const char *load_segments(struct memory *memory, const struct elf *elf, struct node *node,
                          unsigned text);

#endif
