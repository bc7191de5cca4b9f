/* msr.h - the model-specific registers that the kernel writes, and the last values written.
 *
 * A debugger cannot read MSRs, so copies of the entry MSRs are kept in memory: gdb's word `msrs`
 * shows them. All writes use msr_write(); no entry or exit writes one. IA32_SYSENTER_ESP needs no
 * copy: from one process to the next it equals cpu_stack. */
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

/* 0: the value after a reset. */
#define MSR_PLACE(name) uint64_t name##_kept;
extern struct msrs_kept {
        MSRS_KEPT(MSR_PLACE)
} msrs_kept;
#undef MSR_PLACE

/* If `msr` is a constant, the comparisons are compiled to one store, or nothing. */
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
