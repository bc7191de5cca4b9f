/* cr3.c - reloads CR3 in a trusted program with the same page tables, so that only the cost of an
 * address space switch remains, including the entries it flushes.
 *
 * Without PCID every reload flushes the TLB (except global pages, which this kernel does not use).
 * With CR4.PCIDE, bit 63 of the operand says that the entries of the new PCID may stay. Reading
 * PAGES pages after the reload pays for flushed entries: in cycles; in instructions the cost is
 * constant. (SDM 3A, "Process-Context Identifiers", "Operations that Invalidate TLBs") */
#include "const.h"
#include "cpu/cpu.h"
#include "switch.h"

#define PAGES 16
#define CPUID_1_ECX_PCID (1u << 17)
#define CR3_KEEP ((uintptr_t)1 << (8 * sizeof(uintptr_t) - 1)) /* bit 63 */

static volatile uint8_t pages[PAGES * PAGE_SIZE];

static inline void touch(void)
{
        for (unsigned i = 0; i < PAGES; i++)
                (void)pages[i * PAGE_SIZE];
}

#define ROW(name, code)                                                                            \
        static __attribute__((noinline)) void name(uintptr_t value, const char *what)              \
        {                                                                                          \
                (void)value;                                                                       \
                if (!begins(what))                                                                 \
                        return;                                                                    \
                MEASURE(code, );                                                                   \
                record(what);                                                                      \
        }
ROW(touch_alone, touch())
ROW(reload_alone, cr3_write(value))
ROW(reload_and_touch, (cr3_write(value), touch()))

/* Measures two rows: the load alone, and with reads after it. */
static void reload(uintptr_t value, const char *alone, const char *touched)
{
        reload_alone(value, alone);
        reload_and_touch(value, touched);
}

static const char *pcid_missing(void)
{
        if (sizeof(uintptr_t) == 4)
                return "CR4.PCIDE needs long mode (SDM 3A, Process-Context Identifiers)";
        return cpuid(1, 0).cx & CPUID_1_ECX_PCID ? NULL : "CPUID.01H:ECX.PCID[bit 17] = 0";
}

void measure_cr3(void)
{
        static const char *const with_pcid[] = {"cr3/pcid", "cr3/pcid-touch", "cr3/pcid-flush",
                                                "cr3/pcid-flush-touch"};
        uintptr_t cr3 = cr3_read(), cr4 = cr4_read();
        const char *missing = pcid_missing();
        touch();
        quiet(true);
        touch_alone(cr3, "cr3/touch");
        reload(cr3, "cr3/reload", "cr3/reload-touch");
        for (unsigned i = 0; missing && i < sizeof with_pcid / sizeof *with_pcid; i++)
                skip(with_pcid[i], missing);
        if (!missing) {
                cr4_write(cr4 | CR4_PCIDE);
                cr3_write(cr3 | 1); /* forgets what an earlier program left under this number */
                reload(cr3 | 1 | CR3_KEEP, with_pcid[0], with_pcid[1]);
                reload(cr3 | 1, with_pcid[2], with_pcid[3]);
                cr3_write(cr3);
                cr4_write(cr4);
        }
        quiet(false);
}
