/*
 * window.c - where long work in the kernel lets interrupts in.
 *
 * No entry sets IF, so a call would keep interrupts off to its end, however much it has to do.
 * Every loop whose length a program chooses has a window in it, so that they are off for 50,000
 * instructions at most (docs/limits.md). Who is quiet has asked for no interrupts, and gets none;
 * nor does a trusted program, which may have cleared IF and counts on it.
 */
#include "cpu/cpu.h"
#include "dev/timer.h"
#include "proc/latency.h"
#include "proc/thread.h"

/* A kernel stack is what interrupts want below them. */
static bool on_its_stack(void)
{
        return cpu_stack - (uintptr_t)__builtin_frame_address(0) < STACK_SIZE;
}

void interrupt_window(void)
{
        if (!cpu_current || cpu_trusted || timer_is_quiet || flags_read() & RFLAGS_IF ||
            !on_its_stack())
                return;
        bool measured = latency_stop();
        interrupts_on();
        __asm__ volatile("nop"); /* STI holds them off for one instruction */
        interrupts_off();
        if (measured)
                latency_start();
}

void preemption_point(void)
{
        interrupt_window();
        if (cpu_work & WORK_RESCHEDULE)
                schedule();
}
