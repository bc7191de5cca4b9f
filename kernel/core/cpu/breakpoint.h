/* breakpoint.h - one hardware breakpoint on a kernel instruction, for a single hit; and single
 * steps (SDM 3B, "Debug Registers"). */
#pragma once
#include <stdbool.h>
#include "arch.h"
#include "cpu/cpu.h"
#include "toll.h"

#define DR6_B0 0x1
#define DR6_BS 0x4000 /* a single step */
#define DR6_CLEAR 0xffff0ff0

void breakpoint_set(uintptr_t address); /* 0 = none */
bool breakpoint_try(void); /* once, at boot: whether breakpoints work on this processor */
extern unsigned breakpoint_hits;
extern struct frame breakpoint_frame;    /* the frame of the last hit */
extern struct toll_seen breakpoint_seen; /* the last hit, except its frame */
extern void (*breakpoint_look)(void);    /* NULL, or called at a hit to read more */

/* Call at #DB: true if it was hit; it is then removed, so RF is not needed. */
static inline bool breakpoint_hit(const struct frame *frame)
{
        if (!(dr6_read() & DR6_B0))
                return false;
        breakpoint_hits++;
        breakpoint_frame = *frame;
        if (breakpoint_look)
                breakpoint_look();
        breakpoint_set(0);
        return true;
}

/* Whether a single step happened. Bochs steps after SYSCALL, too, although FMASK has cleared TF. */
static inline bool breakpoint_stepped(uintptr_t vector, const struct frame *frame)
{
        if (vector != VECTOR_DB || !(frame->flags & RFLAGS_TF || dr6_read() & DR6_BS))
                return false;
        dr6_write(DR6_CLEAR);
        return true;
}
