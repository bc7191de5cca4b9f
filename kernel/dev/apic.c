/*
 * apic.c - the local APIC (SDM 3A, "Advanced Programmable Interrupt Controller"). It stays as the
 * firmware left it (its LINT0 passes the 8259 through), but its timer is masked: UEFI leaves it
 * running. Its registers are at APIC_PAGE, for trusted programs to interrupt themselves with.
 */
#include "dev/apic.h"
#include "cpu/cpu.h"
#include "cpu/features.h"
#include "mem/space.h"

#define IA32_APIC_BASE_ENABLED 0x800
#define IA32_APIC_BASE_X2APIC 0x400

static volatile uint32_t *apic_register(unsigned offset)
{
        return (volatile uint32_t *)(uintptr_t)(APIC_PAGE + offset);
}

static const char *missing_apic = "CPUID.01H:EDX.APIC[bit 9] = 0: an 8259 cannot interrupt itself";

/* At APIC_PAGE, if it is on and its registers are memory. */
static bool apic_map(void)
{
        if (!feature_has(FEATURE_APIC) || !feature_has(FEATURE_MSR))
                return false;
        uint64_t base = msr_read(IA32_APIC_BASE);
        missing_apic = !(base & IA32_APIC_BASE_ENABLED) ? "IA32_APIC_BASE[bit 11] = 0: it is off"
                       : base & IA32_APIC_BASE_X2APIC   ? "IA32_APIC_BASE[bit 10] = 1: x2APIC mode"
                                                        : NULL;
        if (missing_apic)
                return false;
        space_map(kernel_space, APIC_PAGE, (uintptr_t)(base & PTE_ADDRESS),
                  PTE_WRITE | PTE_UNCACHED | PTE_NX);
        if (!(*apic_register(APIC_SVR) & APIC_SVR_ENABLED))
                missing_apic = "the local APIC's SVR[bit 8] = 0: the firmware left it disabled";
        return true;
}

const char *apic_missing(void)
{
        if (!missing_apic && *apic_register(APIC_PPR) >= VECTOR_SELF)
                return "the local APIC's PPR[7:4] > 3: an interrupt in service holds ours back";
        return missing_apic;
}

void apic_init(void)
{
        if (apic_map())
                *apic_register(APIC_LVT_TIMER) |= APIC_MASKED;
}
