/* from_user.c - was the kernel's or the program's code interrupted? */
#include "trap/from_user.h"
#include "thread/thread.h"
#include "trap/marks.h"

extern char text_end[]; /* end of the kernel's own text; the programs' gate pages are above */

/* The answer depends on the instruction alone: the last one is cached. */
static bool is_program_state(uintptr_t ip)
{
        static uintptr_t asked; /* 0 is in no table */
        static bool answer;
        if (ip != asked) {
                const struct program_state *s =
                        table_find(program_states, program_states_end, sizeof *s / WORD, ip);
                asked = ip;
                answer = s && ip < s->end;
        }
        return answer;
}

bool from_entry(const struct frame *frame)
{
        return cpu_trusted && frame->ip >= KERNEL_BASE && frame->ip < (uintptr_t)text_end &&
               is_program_state(frame->ip);
}

bool from_user_elsewhere(const struct frame *frame)
{
        /* In virtual-8086 mode CS is any number. Only QEMU lets IRET at CPL 3 enter it. */
        if (frame->flags & RFLAGS_VM)
                return true;
        if (!cpu_trusted)
                return false;
        if (frame->ip < USER_HALF_END)
                return true;
        return is_program_state(frame->ip);
}
