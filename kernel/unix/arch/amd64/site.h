/*
 * site.h - system calls that a compiler wrote become calls, where their program is trusted
 * (entry/site_standard.asm, docs/trusted.md).
 */
#ifndef TOLLGATE_UNIX_ARCH_AMD64_SITE_H
#define TOLLGATE_UNIX_ARCH_AMD64_SITE_H

#include "arch.h"
#include "mem/memory.h"
#include "lib/elf.h"

/* Before the segments of a trusted program are mapped: its text shall come from the file with the
 * sites rewritten. What they find their way by is mapped. What they are is found out once, and
 * kept with the file until somebody opens that for writing. *text: what the areas of its text have
 * beside their access, AREA_CALLS or nothing. False = out of memory. */
bool sites_prepare(struct memory *memory, const struct elf *elf, struct node *node,
                   const char *path, unsigned *text);
/* The frame of the page at an offset of the file with its sites rewritten; 0 = it has none. */
uintptr_t sites_frame(const struct node *node, uint64_t offset);

/* Of a call that leaves by work_do(): the frame's ip is behind its stub's CALL. */
void site_frame(struct frame *frame);
/* A stub was interrupted on the program's stack: the frame is at the stub's site, or behind it.
 * False = it was no stub. */
bool site_left(struct frame *frame);

/* A direct call is to be made again. False = its number is not known any more. */
static inline bool site_repeat_direct(struct frame *frame)
{
        (void)frame;
        return false;
}

#endif
