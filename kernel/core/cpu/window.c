/*
 * window.c - where long work in the kernel lets interrupts in.
 *
 * No entry sets IF, so a call would keep interrupts off to its end, however much it has to do.
 * Every loop whose length a program chooses has a window in it, so that they are off for 50,000
 * instructions at most (docs/limits.md). A quiet program has asked for no interrupts and gets none.
 * A trusted program may have cleared IF and rely on it: its calls have windows if it had not.
 */
#include "cpu/window.h"
#include <stddef.h>
#include "cpu/cpu.h"
#include "cpu/current.h"

const struct window_meter *window_meter;

/* An interrupt needs a kernel stack below it. */
static bool on_its_stack(void)
{
        return cpu_stack - (uintptr_t)__builtin_frame_address(0) < STACK_SIZE;
}

/* Whether a trusted program had IF set. A gate leaves a frame with the program's IF. A direct call
 * leaves none: the word of its SS is the program's stack pointer, and IF is the program's still. */
static bool had_interrupts(void)
{
        const struct frame *frame = (const struct frame *)cpu_stack - 1;
        return (uint16_t)frame->ss == KERNEL_DS && frame->flags & RFLAGS_IF;
}

void interrupt_window(void)
{
        if (!cpu_current || cpu_quiet || flags_read() & RFLAGS_IF || !on_its_stack() ||
            (cpu_trusted && !had_interrupts()))
                return;
        if (window_meter)
                window_meter->open();
        interrupts_on();
        __asm__ volatile("nop"); /* STI holds them off for one instruction */
        interrupts_off();
        if (window_meter)
                window_meter->close();
}
