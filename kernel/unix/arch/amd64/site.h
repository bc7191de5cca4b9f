/* site.h - turns a trusted program's compiled system calls into calls (entry/site_standard.asm,
 * docs/trusted.md). */
#pragma once
#include "arch.h"
#include "mem/memory.h"
#include "lib/elf.h"

/* Called before a trusted program's segments are mapped: its text will come from the rewritten
 * pages. Maps the tables that the stubs use. A file is searched once, and the result is kept until
 * the file is opened for writing. *text: extra flags for the text's areas, AREA_CALLS or 0. False =
 * out of memory. */
bool sites_prepare(struct memory *memory, const struct elf *elf, struct node *node,
                   const char *path, unsigned *text);
/* How many of the file's system calls that became calls return to an address in this range. */
unsigned sites_count(const struct node *node, uintptr_t start, uintptr_t end);
/* The frame of the file's rewritten page at this offset; 0 = none. */
uintptr_t sites_frame(const struct node *node, uint64_t offset);

/* For a call that leaves by work_do(): moves ip from its stub to the program. */
void site_frame(struct frame *frame);
/* A stub was interrupted on the program's stack: moves the frame to the stub's site, or behind it.
 * False = it was not a stub. */
bool site_left(struct frame *frame);

/* Repeats a direct call. False = its number is no longer known. */
static inline bool site_repeat_direct(struct frame *frame)
{
        return false;
}
