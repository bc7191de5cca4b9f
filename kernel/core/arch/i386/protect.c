/* protect.c - SYSCALL and NX on i386. */
#include "cpu/protect.h"
#include "cpu/cpu.h"
#include "cpu/msr.h"
#include "gates.h"

void no_execute_init(void)
{
        /* two-level paging has no NX: instead text is read-only */
}

/* Legacy SYSCALL clears IF, VM and RF only: with TF set, #DB arrives at CPL 0 on the program's
 * stack. So #DB is a task here, and SYSCALL is enabled only while one of its rows is selected. */
void syscall_arm(struct gates *gates, const void *entry, enum origin origin, bool chosen)
{
        gates->syscall = chosen ? (uintptr_t)entry : 0;
}

void syscall_init(void)
{
}

void syscall_point(uint32_t entry)
{
        uint64_t efer = msr_read(IA32_EFER) & ~(uint64_t)EFER_SCE;
        uint64_t selectors = (uint64_t)USER_CS << 48 | (uint64_t)KERNEL_CS << 32;
        msr_write(IA32_STAR, entry ? selectors | entry : 0);
        msr_write(IA32_EFER, entry ? efer | EFER_SCE : efer);
}
