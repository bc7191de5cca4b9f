/* site.h - i386's programs call where AT_SYSINFO says: nothing of theirs is rewritten. */
#ifndef TOLLGATE_UNIX_ARCH_I386_SITE_H
#define TOLLGATE_UNIX_ARCH_I386_SITE_H

#include "mem/memory.h"
#include "lib/elf.h"

static inline bool sites_prepare(struct memory *memory, const struct elf *elf, struct node *node,
                                 const char *path, unsigned *text)
{
        (void)memory, (void)elf, (void)node, (void)path;
        *text = 0;
        return true;
}

static inline uintptr_t sites_frame(const struct node *node, uint64_t offset)
{
        (void)node, (void)offset;
        return 0;
}

static inline bool site_left(struct frame *frame)
{
        (void)frame;
        return false;
}

#endif
