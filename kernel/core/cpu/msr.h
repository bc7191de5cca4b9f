/*
 * msr.h - the model-specific registers that the kernel writes, and what it has written last.
 *
 * A debugger cannot read them, so what the ways in have got is kept where it can: gdb's word `msrs`
 * shows it. All writes come through msr_write(); none is on a way in or out. IA32_SYSENTER_ESP is
 * kept already, from one process to the next: it is cpu_stack.
 */
#ifndef TOLLGATE_CORE_CPU_MSR_H
#define TOLLGATE_CORE_CPU_MSR_H

#include "arch.h"

#define MSRS_KEPT(X)                                                                               \
        X(IA32_SYSENTER_CS)                                                                        \
        X(IA32_SYSENTER_EIP)                                                                       \
        X(IA32_STAR)                                                                               \
        X(IA32_LSTAR)                                                                              \
        X(IA32_CSTAR)                                                                              \
        X(IA32_FMASK)

/* 0: as after a reset. */
#define MSR_PLACE(name) uint64_t name##_kept;
extern struct msrs_kept {
        MSRS_KEPT(MSR_PLACE)
} msrs_kept;
#undef MSR_PLACE

/* If `msr` is a constant, the comparisons become one store, or none. */
static inline __attribute__((always_inline)) void msr_write(uint32_t msr, uint64_t value)
{
        wrmsr(msr, value);
#define MSR_KEEP(name)                                                                             \
        if (msr == (name))                                                                         \
                msrs_kept.name##_kept = value;
        MSRS_KEPT(MSR_KEEP)
#undef MSR_KEEP
}

#endif
