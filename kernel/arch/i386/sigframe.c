/* sigframe.c - the frames of i386 are those of all 32-bit programs. */
#include "proc/sigframe.h"

bool sigframe_push(struct frame *frame, const struct signal_action *action,
                   const struct signal_info *info, uint64_t mask)
{
        return sigframe32_push(frame, action, info, mask);
}

bool sigframe_pop(struct frame *frame)
{
        return sigframe32_pop(frame, true);
}
