/* from_user.h - whether the kernel's or the program's code was interrupted. */
#ifndef TOLLGATE_CORE_TRAP_FROM_USER_H
#define TOLLGATE_CORE_TRAP_FROM_USER_H

#include "thread/thread.h"

/* A program's: CPL 3; or, where a trusted program runs, an instruction pointer in its half or where
 * an entry uses its stack. Never the stack pointer, which a program can move. */
bool from_user_elsewhere(const struct frame *frame);
static inline bool from_user(const struct frame *frame)
{
        return frame->cs & 3 || (cpu_trusted && frame->ip < KERNEL_BASE) ||
               from_user_elsewhere(frame);
}

/* Whether that instruction is an entry's, which uses a trusted program's stack: a single step stops
 * at no such place. */
bool from_entry(const struct frame *frame);

/* Whether code of the kernel's half runs on a stack of the program's, which only a wild jump of a
 * trusted program causes. */
static inline bool is_wild_jump(uintptr_t sp)
{
        return cpu_trusted && sp < KERNEL_BASE;
}

/* arch/exit.asm: on the program's stack, to process_jumped_wild(). */
_Noreturn void entry_jumped_wild(void);

#endif
