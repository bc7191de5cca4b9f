/* apic.c - the local APIC (SDM 3A, "Advanced Programmable Interrupt Controller"). The firmware's
 * settings stay, with two exceptions: the timer, which UEFI leaves running, is masked; and LINT0,
 * which a firmware without use for the 8259 leaves masked, passes the 8259 through. Trusted
 * programs interrupt themselves by its registers at APIC_PAGE. */
#include "machine/apic.h"
#include "cpu/cpu.h"
#include "cpu/features.h"
#include "cpu/msr.h"
#include "machine/timer.h"
#include "mem/space.h"

#define IA32_APIC_BASE_ENABLED 0x800
#define IA32_APIC_BASE_X2APIC 0x400

static volatile uint32_t *apic_register(unsigned offset)
{
        return (volatile uint32_t *)(uintptr_t)(APIC_PAGE + offset);
}

static bool on;
static bool by_msr; /* x2APIC mode: registers are MSRs */

static uint32_t apic_get(unsigned offset)
{
        return by_msr ? (uint32_t)msr_read(IA32_X2APIC + offset / 16) : *apic_register(offset);
}

static void apic_set(unsigned offset, uint32_t value)
{
        if (by_msr)
                msr_write(IA32_X2APIC + offset / 16, value);
        else
                *apic_register(offset) = value;
}

static const char *missing_apic = "CPUID.01H:EDX.APIC[bit 9] = 0: an 8259 cannot interrupt itself";

/* Whether it is on. If its registers are in memory, they are at APIC_PAGE afterwards. */
static bool is_on(void)
{
        if (!feature_has(FEATURE_APIC) || !feature_has(FEATURE_MSR))
                return false;
        uint64_t base = msr_read(IA32_APIC_BASE);
        missing_apic = !(base & IA32_APIC_BASE_ENABLED) ? "IA32_APIC_BASE[bit 11] = 0: it is off"
                       : base & IA32_APIC_BASE_X2APIC   ? "IA32_APIC_BASE[bit 10] = 1: x2APIC mode"
                                                        : NULL;
        by_msr = (base & IA32_APIC_BASE_ENABLED) && (base & IA32_APIC_BASE_X2APIC);
        if (missing_apic)
                return by_msr;
        space_map_kernel(APIC_PAGE, (uintptr_t)(base & PTE_ADDRESS),
                         PTE_WRITE | PTE_UNCACHED | PTE_NX);
        return true;
}

/* Virtual wire mode (MultiProcessor Specification 1.4, "Virtual Wire Mode"). If SVR says that the
 * APIC is disabled, all its lines stay masked. */
static void pass_8259(void)
{
        if ((apic_get(APIC_LVT_LINT0) & (APIC_MASKED | APIC_DELIVERY)) == APIC_EXTINT)
                return;
        apic_set(APIC_SVR, APIC_SVR_ENABLED | VECTOR_SPURIOUS);
        apic_set(APIC_LVT_LINT0, APIC_EXTINT);
        apic_set(APIC_LVT_LINT1, APIC_NMI);
}

const char *apic_missing(void)
{
        if (!missing_apic && *apic_register(APIC_PPR) >= VECTOR_SELF)
                return "the local APIC's PPR[7:4] > 3: an interrupt in service holds ours back";
        return missing_apic;
}

void apic_init(void)
{
        on = is_on();
        if (!on)
                return;
        apic_set(APIC_LVT_TIMER, apic_get(APIC_LVT_TIMER) | APIC_MASKED);
        pass_8259();
        if (!missing_apic && !(apic_get(APIC_SVR) & APIC_SVR_ENABLED))
                missing_apic = "the local APIC's SVR[bit 8] = 0: the firmware left it disabled";
}

bool apic_id(uint32_t *id)
{
        if (on && !by_msr)
                *id = apic_get(APIC_ID);
        return on && !by_msr;
}

static void count_from(uint32_t counts)
{
        apic_set(APIC_TIMER_INITIAL, counts);
}

static uint32_t apic_left(void)
{
        return apic_get(APIC_TIMER_CURRENT);
}

static void quiet(bool quiet)
{
        apic_set(APIC_LVT_TIMER, APIC_PERIODIC | VECTOR_TIMER | (quiet ? APIC_MASKED : 0));
}

static struct ticker ticker = {"the local APIC", count_from, apic_left, quiet, 0};

uint32_t apic_counts(uint64_t *span)
{
        if (!on)
                return 0;
        apic_set(APIC_TIMER_DIVIDE, APIC_DIVIDE_16);
        quiet(true);
        uint64_t start = tsc_read(), end = start + *span;
        count_from(UINT32_MAX);
        while (tsc_read() < end)
                ;
        uint32_t counts = UINT32_MAX - apic_left();
        *span = tsc_read() - start;
        count_from(0);
        return counts;
}

const struct ticker *apic_ticker(uint64_t hertz)
{
        uint64_t span = hertz >> 8;
        if (!on || !hertz)
                return NULL;
        apic_set(APIC_SVR, APIC_SVR_ENABLED | VECTOR_SPURIOUS);
        ticker.hertz = apic_counts(&span) << 8;
        quiet(false);
        apic_ticks = ticker.hertz;
        return apic_ticks ? &ticker : NULL;
}

bool apic_ticks;

bool apic_in_service(void)
{
        return apic_get(APIC_ISR + VECTOR_TIMER / 32 * 16) >> VECTOR_TIMER % 32 & 1;
}

void apic_interrupt(unsigned vector)
{
        if (vector != VECTOR_TIMER)
                return;
        timer_interrupt();
        apic_set(APIC_EOI, 0);
}
