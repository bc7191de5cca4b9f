/* window.c - interrupt windows in long kernel work.
 *
 * No entry sets IF, so a call would keep interrupts off to its end, however long it takes. So every
 * loop whose length a program chooses has a window, and interrupts are off for at most 50,000
 * instructions (docs/limits.md). A quiet program gets no interrupts, because it asked for none. A
 * trusted program that cleared IF may rely on it: its calls have windows only if IF was set. */
#include "cpu/window.h"
#include "cpu/cpu.h"
#include "cpu/current.h"

const struct window_meter *window_meter;

/* An interrupt needs this much kernel stack. */
static bool on_its_stack(void)
{
        return cpu_stack - (uintptr_t)__builtin_frame_address(0) < STACK_SIZE;
}

/* Whether a trusted program had IF set. After a gate the frame has the program's IF. A direct call
 * has no frame: SS's slot holds the program's stack pointer, and IF itself is unchanged. */
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
        __asm__ volatile("nop"); /* STI delays interrupts by one instruction */
        interrupts_off();
        if (window_meter)
                window_meter->close();
}
