/* from_user.h - was the kernel's or the program's code interrupted? */
#pragma once
#include "thread/thread.h"

/* True for a program: at CPL 3; for a trusted one, if the instruction pointer is in its half or
 * where an entry uses its stack. The stack pointer does not count: a program can change it. */
bool from_user_elsewhere(const struct frame *frame);
static inline bool from_user(const struct frame *frame)
{
        return frame->cs & 3 || (cpu_trusted && frame->ip < KERNEL_BASE) ||
               from_user_elsewhere(frame);
}

/* Whether that instruction is in an entry that uses a trusted program's stack: no single step stops
 * there. */
bool from_entry(const struct frame *frame);

/* Whether code in the kernel's half runs on a program's stack, which only a trusted program's wild
 * jump causes. */
static inline bool is_wild_jump(uintptr_t sp)
{
        return cpu_trusted && sp < KERNEL_BASE;
}

/* arch/exit.asm: calls process_jumped_wild() from the program's stack. */
_Noreturn void entry_jumped_wild(void);
