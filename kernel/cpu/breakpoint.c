/* breakpoint.c - debug registers (SDM 3B, "Debug Registers"). */
#include "cpu/breakpoint.h"
#include "cpu/cpu.h"

#define DR6_B0 0x1
#define DR6_BS 0x4000 /* a single step */
#define DR6_CLEAR 0xffff0ff0
#define DR7_G0_EXECUTE 0x2 /* G0; R/W0 = 0: instruction execution */

unsigned breakpoint_hits;
uintptr_t breakpoint_flags;

void breakpoint_set(uintptr_t address)
{
        dr0_write(address);
        dr6_write(DR6_CLEAR);
        dr7_write(address ? DR7_G0_EXECUTE : 0);
}

bool breakpoint_hit(const struct frame *frame)
{
        if (!(dr6_read() & DR6_B0))
                return false;
        breakpoint_hits++;
        breakpoint_flags = frame->flags;
        breakpoint_set(0);
        return true;
}

bool breakpoint_is_step(const struct frame *frame)
{
        if (!(frame->flags & RFLAGS_TF || dr6_read() & DR6_BS))
                return false;
        dr6_write(DR6_CLEAR);
        return true;
}
