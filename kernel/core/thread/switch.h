/* switch.h - the processor's state at a switch between processes. Interrupts are off.
 *
 * The caller saves callee-saved registers, on its kernel stack. */
#pragma once
#include "context.h"
#include "cpu/bits.h"
#include "cpu/cpu.h"
#include "cpu/msr.h"
#include "cpu/work.h"
#include "entry/ways.h"
#include "mem/memory.h"
#include "thread/posture.h"
#include "thread/thread.h"

/* `work`: the current cpu_work. */
static inline void processor_save(struct thread *from, uint8_t work)
{
        from->work = work & (uint8_t)~WORK_GLOBAL;
        fpu_save(from->fpu);
        segments_save(&from->segments);
}

/* Switches to another origin or another TLS. These come first, because they are most frequent. */
static inline __attribute__((always_inline)) void
posture_change(const struct thread *from, const struct thread *to, uint32_t differs)
{
        if (differs <= POSTURE_ORIGIN) {
                ways_exchange(to->ways, differs & POSTURE_COMPAT);
                if (from->segments.selectors != to->segments.selectors)
                        segments_change(&to->segments);
                return;
        }
        differs = from->choice;
        if (differs_from(&differs, to->choice))
                posture_assume(from, to, differs);
        else
                segments_switch(&from->segments, &to->segments);
}

/* `from`: the thread whose memory and segments are loaded, NULL = the kernel's. */
static inline __attribute__((always_inline)) void processor_load(const struct thread *from,
                                                                 struct thread *to, uint8_t work)
{
        /* Loading a bad selector faults, and the fault handler needs a known stack. */
        uint32_t differs;
        if (__builtin_expect(!from, false))
                posture_begin(to);
        else if (differs = from->posture,
                 __builtin_expect(differs_from(&differs, to->posture), false))
                posture_change(from, to, differs);
        else if (__builtin_expect(from->segments.selectors != to->segments.selectors, false))
                segments_change(&to->segments);
        cpu_current = to;
        cpu_stack = to->stack_top;
        cpu_work = to->work | (work & WORK_GLOBAL);
        stack_set(to->stack_top);
        if (__builtin_expect(cpu_sysenter, true)) /* inline: no jump in either case */
                msr_write(IA32_SYSENTER_ESP, to->stack_top);
        if (!from || from->memory != to->memory)
                space_load(to->memory->space);
        fpu_load(to->fpu);
}
