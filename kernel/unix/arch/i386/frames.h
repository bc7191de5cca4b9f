/* frames.h - kinds of signal frames: on i386 those of all 32-bit programs. */
#pragma once
#include "process/sigframe.h"

/* All 32-bit addresses are. */
static inline bool address_is_canonical(uintptr_t address)
{
        return true;
}

static inline bool sigframe_push(struct frame *frame, const struct signal_action *action,
                                 const struct signal_info *info, uint64_t mask)
{
        return sigframe32_push(frame, action, info, mask);
}

static inline bool sigframe_pop(struct frame *frame)
{
        return sigframe32_pop(frame, true);
}

/* sigframe_pop() accepts all. */
static inline bool sigframe_pop_unusual(struct frame *frame)
{
        return false;
}
