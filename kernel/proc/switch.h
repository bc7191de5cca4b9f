/*
 * switch.h - from one process to another: what the processor holds of each. Interrupts are off.
 *
 * Registers that C keeps are the caller's to save, who leaves them on its kernel stack.
 */
#ifndef TOLLGATE_PROC_SWITCH_H
#define TOLLGATE_PROC_SWITCH_H

#include "context.h"
#include "cpu/cpu.h"
#include "cpu/msr.h"
#include "cpu/work.h"
#include "entry/entry.h"
#include "mem/memory.h"
#include "proc/posture.h"
#include "proc/thread.h"

/* `work`: cpu_work as it is now. */
static inline void processor_save(struct thread *from, uint8_t work)
{
        from->work = work & (uint8_t)~WORK_GLOBAL;
        fpu_save(from->fpu);
        segments_save(&from->segments);
}

/* `from`: whose memory and segments are there, NULL = the kernel's. */
static inline void processor_load(const struct thread *from, struct thread *to, uint8_t work)
{
        /* A selector that cannot be loaded is a fault, which wants the stack it comes on known. */
        if (__builtin_expect(posture_now != to->posture, false)) {
                if (from && ways_now == to->ways) {
                        posture_now = to->posture;
                        segments_switch(&from->segments, &to->segments);
                } else {
                        posture_assume(from, to);
                }
        } else if (__builtin_expect(from->segments.selectors != to->segments.selectors, false))
                segments_change(&to->segments);
        cpu_current = to;
        cpu_stack = to->stack_top;
        cpu_work = to->work | (work & WORK_GLOBAL);
        stack_set(to->stack_top);
        if (cpu_sysenter)
                msr_write(IA32_SYSENTER_ESP, to->stack_top);
        if (!from || from->memory != to->memory)
                space_load(to->memory->space);
        fpu_load(to->fpu);
}

#endif
