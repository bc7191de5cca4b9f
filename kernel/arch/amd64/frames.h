/* frames.h - which signal frames programs have: on amd64 it depends on their width. */
#ifndef TOLLGATE_ARCH_AMD64_FRAMES_H
#define TOLLGATE_ARCH_AMD64_FRAMES_H

#include "proc/sigframe.h"
#include "proc/thread.h"

bool sigframe64_push(struct frame *frame, const struct signal_action *action,
                     const struct signal_info *info, uint64_t mask);
bool sigframe64_pop(struct frame *frame);

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

#endif
