/* load.h - the segments of an ELF file become areas of a program's memory. */
#pragma once
#include <stdbool.h>
#include "lib/elf.h"

struct memory;
struct node;

/* Start of a position-independent program (ET_DYN): at two thirds of its half, as on Linux. */
uint64_t load_base(uintptr_t limit);
/* Whether the entry point is in an executable segment. */
bool load_enters_code(const struct elf *elf);
/* Maps and fills the segments; the heap begins behind the last. `text`: extra flags for areas of
 * text. NULL, or a sentence about the failure. */
const char *load_segments(struct memory *memory, const struct elf *elf, struct node *node,
                          unsigned text);
