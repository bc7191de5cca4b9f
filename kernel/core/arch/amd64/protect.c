/* protect.c - SYSCALL and NX on amd64. */
#include "cpu/protect.h"
#include "cpu/msr.h"
#include "gates.h"

pte_t page_no_execute;
extern const char syscall_ignore[], syscall_ignore_compat[],
        syscall_ignore_trusted[]; /* ignore.asm */

void no_execute_init(void)
{
        if (!feature_has(FEATURE_NX))
                return;
        page_no_execute = 1ull << 63;
        msr_write(IA32_EFER, msr_read(IA32_EFER) | EFER_NXE);
}

/* FMASK clears flags that an entry must not inherit. No entry here needs SWAPGS. Without a second
 * SWAPGS the program would get a wrong base. LSTAR and CSTAR, the two targets, belong to the
 * program's origin: syscall_arm() below, gates_exchange(). */
void syscall_init(void)
{
        msr_write(IA32_KERNEL_GS_BASE, GATE_PAGE);
        msr_write(IA32_STAR, (uint64_t)USER_CS32 << 48 | (uint64_t)KERNEL_CS << 32);
        msr_write(IA32_FMASK, RFLAGS_TF | RFLAGS_IF | RFLAGS_DF | RFLAGS_IOPL | RFLAGS_NT |
                                      RFLAGS_AC | RFLAGS_RF);
        msr_write(IA32_EFER, msr_read(IA32_EFER) | EFER_SCE);
}

/* Both targets are always valid, because a program may change between 64-bit and compatibility mode
 * by a far jump, and SYSCALL cannot be shut. */
void syscall_arm(struct gates *gates, const void *entry, enum origin origin, bool chosen)
{
        const void *wide = origin == ORIGIN_TRUSTED ? syscall_ignore_trusted : syscall_ignore;
        const void *narrow = syscall_ignore_compat;
        if (entry && origin == ORIGIN_COMPAT)
                narrow = entry;
        else if (entry)
                wide = entry;
        gates->lstar = (uintptr_t)wide;
        gates->cstar = (uintptr_t)narrow;
}
