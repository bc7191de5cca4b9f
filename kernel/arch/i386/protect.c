/* protect.c - SYSCALL and NX on i386. */
#include "cpu/protect.h"
#include "cpu/cpu.h"
#include "cpu/msr.h"

void no_execute_init(void)
{
        /* two-level paging has no NX: text is kept unwritable instead */
}

/* Legacy SYSCALL clears IF, VM and RF only: with TF set, #DB comes at CPL 0 on the program's
 * stack. It is a task here, and SYSCALL is enabled only while a row of it is selected. */
void syscall_arm(const void *entry, enum origin origin, bool chosen)
{
        (void)origin;
        if (!feature_has(FEATURE_SYSCALL))
                return;
        uint64_t efer = msr_read(IA32_EFER);
        if (!entry || !chosen) {
                msr_write(IA32_EFER, efer & ~(uint64_t)EFER_SCE);
                return;
        }
        msr_write(IA32_STAR,
                  (uint64_t)USER_CS << 48 | (uint64_t)KERNEL_CS << 32 | (uintptr_t)entry);
        msr_write(IA32_EFER, efer | EFER_SCE);
}
