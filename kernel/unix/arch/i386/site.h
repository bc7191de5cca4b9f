/* site.h - i386's programs call where AT_SYSINFO says: nothing of theirs is rewritten. */
#ifndef TOLLGATE_UNIX_ARCH_I386_SITE_H
#define TOLLGATE_UNIX_ARCH_I386_SITE_H

#include "mem/memory.h"
#include "lib/elf.h"

static inline bool sites_prepare(struct memory *memory, struct elf *elf, struct node *node,
                                 const char *path)
{
        (void)memory, (void)elf, (void)node, (void)path;
        return true;
}

static inline bool site_left(struct frame *frame)
{
        (void)frame;
        return false;
}

#endif
