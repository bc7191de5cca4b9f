/* breakpoint.c - one hardware breakpoint on a kernel instruction. */
#include "cpu/breakpoint.h"

#define DR7_G0_EXECUTE 0x2 /* G0; R/W0 = 0: instruction execution */

unsigned breakpoint_hits;
struct frame breakpoint_frame;
struct toll_seen breakpoint_seen;
void (*breakpoint_look)(void);

void breakpoint_set(uintptr_t address)
{
        dr0_write(address);
        dr6_write(DR6_CLEAR);
        dr7_write(address ? DR7_G0_EXECUTE : 0);
}

static __attribute__((noinline)) void stop_here(void)
{
        __asm__ volatile("");
}

/* A task switch to #DB and back sets CR0.TS (SDM 3A, "Task Switching"). */
bool breakpoint_try(void)
{
        uintptr_t cr0 = cr0_read();
        breakpoint_set((uintptr_t)stop_here);
        stop_here();
        breakpoint_set(0);
        cr0_write(cr0);
        return breakpoint_hits;
}
