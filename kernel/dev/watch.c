/* watch.c - ends a quiet program after an hour, by the real-time clock's alarm, which the I/O APIC
 * turns into an NMI. It cannot ring earlier, and the 8259 does not get the alarm. */
#include "dev/watch.h"
#include "cpu/cpu.h"
#include "cpu/current.h"
#include "cpu/work.h"
#include "dev/rtc.h"
#include "machine/apic.h"
#include "mem/space.h"

unsigned watch_ended;
bool watch_works;
static bool over;

/* The I/O APIC (82093AA data sheet): an index register, and a window to the indexed register. At
 * the MultiProcessor Specification's address for the first. */
#define IO_APIC 0xfec00000
#define IO_APIC_INDEX 0 /* word offsets */
#define IO_APIC_DATA 4
#define IO_APIC_VERSION 1 /* bits 23 to 16: number of its last line */
#define IO_APIC_ENTRIES 0x10

static uint32_t io_apic_get(volatile uint32_t *io_apic, unsigned index)
{
        io_apic[IO_APIC_INDEX] = index;
        return io_apic[IO_APIC_DATA];
}

static void io_apic_set(volatile uint32_t *io_apic, unsigned index, uint32_t value)
{
        io_apic[IO_APIC_INDEX] = index;
        io_apic[IO_APIC_DATA] = value;
}

/* Makes an I/O APIC line, numbered as on the 8259, raise an NMI, or masks it. False: no I/O APIC,
 * or it cannot reach this processor. */
static bool nmi_line(unsigned line, bool asked)
{
        static volatile uint32_t *io_apic;
        unsigned entry = IO_APIC_ENTRIES + 2 * line;
        uint32_t id;
        if (!apic_id(&id) ||
            (!io_apic && !(io_apic = window_map(IO_APIC, PAGE_SIZE, PTE_UNCACHED))))
                return false;
        uint32_t version = io_apic_get(io_apic, IO_APIC_VERSION);
        if (version == UINT32_MAX || (version >> 16 & 0xff) < line)
                return false;
        io_apic_set(io_apic, entry, APIC_MASKED);
        io_apic_set(io_apic, entry + 1, id); /* bits 31 to 24 in both registers */
        if (asked)
                io_apic_set(io_apic, entry, APIC_NMI);
        return true;
}

void watch_quiet(bool quiet)
{
        if (!watch_works)
                return;
        rtc_alarm(quiet);
        nmi_line(RTC_LINE, quiet);
}

bool watch_ends(void)
{
        if (cpu_quiet && watch_works && rtc_rang()) {
                over = true;
                work_add(WORK_DEVICE);
        }
        return over;
}

bool watch_rang(void)
{
        bool ends = over && cpu_quiet && cpu_current;
        over = false;
        watch_ended += ends;
        return ends;
}

bool watch_init(void)
{
        watch_works = nmi_line(RTC_LINE, false) && rtc_alarm(false);
        return watch_works;
}
