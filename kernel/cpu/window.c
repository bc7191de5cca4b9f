/*
 * window.c - where long work in the kernel lets interrupts in.
 *
 * No entry sets IF, so a call would keep interrupts off to its end, however much it has to do.
 * Every loop whose length a program chooses has a window in it, so that they are off for 50,000
 * instructions at most (docs/limits.md). Who is quiet has asked for no interrupts, and gets none;
 * nor does a trusted program, which may have cleared IF and counts on it.
 */
#include "cpu/window.h"
#include <stddef.h>
#include "cpu/cpu.h"
#include "cpu/current.h"

static uint64_t since, *of; /* the stretch that has begun: when (0 = none), and whose it is */

void stretch_begin(uint64_t *longest)
{
        of = longest;
        since = tsc_read();
}

uint64_t *stretch_end(void)
{
        uint64_t began = since;
        if (!began)
                return NULL;
        since = 0;
        if (tsc_read() - began > *of)
                *of = tsc_read() - began;
        return of;
}

void stretch_drop(void)
{
        since = 0;
}

/* A kernel stack is what interrupts want below them. */
static bool on_its_stack(void)
{
        return cpu_stack - (uintptr_t)__builtin_frame_address(0) < STACK_SIZE;
}

void interrupt_window(void)
{
        if (!cpu_current || cpu_trusted || cpu_quiet || flags_read() & RFLAGS_IF || !on_its_stack())
                return;
        uint64_t *longest = stretch_end();
        interrupts_on();
        __asm__ volatile("nop"); /* STI holds them off for one instruction */
        interrupts_off();
        if (longest)
                stretch_begin(longest);
}
