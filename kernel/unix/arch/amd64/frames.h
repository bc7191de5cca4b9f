/* frames.h - kinds of signal frames: on amd64 they depend on the program's width. */
#pragma once
#include "process/sigframe.h"
#include "thread/thread.h"

bool sigframe64_push(struct frame *frame, const struct signal_action *action,
                     const struct signal_info *info, uint64_t mask);
bool sigframe64_pop(struct frame *frame);
__attribute__((cold)) bool sigframe64_pop_unusual(struct frame *frame);

/* SDM 1, "Canonical Addressing" */
static inline bool address_is_canonical(uint64_t address)
{
        return (uint64_t)((int64_t)(address << 16) >> 16) == address;
}

static inline bool sigframe_push(struct frame *frame, const struct signal_action *action,
                                 const struct signal_info *info, uint64_t mask)
{
        return cpu_current->origin == ORIGIN_COMPAT ? sigframe32_push(frame, action, info, mask)
                                                    : sigframe64_push(frame, action, info, mask);
}

static inline bool sigframe_pop(struct frame *frame)
{
        return cpu_current->origin == ORIGIN_COMPAT ? sigframe32_pop(frame, true)
                                                    : sigframe64_pop(frame);
}

/* A frame with unusual selectors or addresses: slower, so tried second. */
static inline bool sigframe_pop_unusual(struct frame *frame)
{
        return cpu_current->origin != ORIGIN_COMPAT && sigframe64_pop_unusual(frame);
}
