/* from_user.c - whose code has been interrupted. */
#include "trap/from_user.h"
#include "proc/thread.h"

extern const struct program_state {
        uintptr_t start, end;
} program_states[], program_states_end[];

bool from_user_elsewhere(const struct frame *frame)
{
        /* In virtual-8086 mode CS is any number. Only QEMU lets IRET at CPL 3 go there. */
        if (frame->flags & RFLAGS_VM)
                return true;
        if (!cpu_trusted)
                return false;
        for (const struct program_state *s = program_states; s < program_states_end; s++)
                if (frame->ip >= s->start && frame->ip < s->end)
                        return true;
        return frame->ip < USER_HALF_END;
}
