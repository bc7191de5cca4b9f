/* rate.c - the TSC's rate: measured by channel 2 of the PIT, else read from CPUID, else measured by
 * the real-time clock. All other sources are used as checks.
 *
 * The PIT's 16 bits wrap after 55 ms. If a host takes the processor away for longer, or one system
 * management interrupt does, a window is longer than it reads. So a window in which the TSC jumps
 * between two polls is discarded, and three windows must agree. If they do not, or if another
 * source disagrees, the rate is in doubt, and the run says so.
 *
 * A timer that does not answer is not waited for: a laptop may have switched off its PIT, which
 * keeps the chipset awake. */
#include "clock/rate.h"
#include "clock/page.h"
#include "cpu/cpu.h"
#include "cpu/features.h"
#include "machine/apic.h"
#include "machine/pit.h"
#include "dev/rtc.h"
#include "lib/printf.h"
#include "toll/cycle.h"

#define SECOND ((uint64_t)1 << 32)
#define WINDOW_EXACT (PIT_HZ / 500)
#define RESTS 1000      /* of 1000 rounds: a window is over, unless the PIT stands still */
#define PATIENCE 100000 /* polls with the same count: the PIT stands still */
#define MOST 1000000    /* polls of a window */
#define SPANS 8         /* periods of the real-time clock ... */
#define BEATS 4         /* ... of this many beats: 31 ms in all */
#define NEAR 200        /* a mean within one part in NEAR of a short period is accepted */
#define LEAST 34000000  /* the lowest Hz that a multiplier can express */
#define LOOKS 16        /* the shortest of these polls was not interrupted */
#define LONG 16         /* this many times as long: an interruption */
#define AGREE 2000      /* windows agree within one part in this many: 500 ppm */
#define WITNESS 100     /* sources of different kinds agree within 1 % */
#define ROUNDED 20      /* CPUID.16H rounds to hundreds of MHz: within 5 % */
#define APIC_DIVISOR 16

uint64_t ratio(uint64_t value, uint32_t divisor)
{
        divide64(&value, divisor);
        return value;
}

/* Computes it from Hz, which may exceed 32 bits */
static uint32_t multiplier_at(uint64_t hertz)
{
        return hertz >= LEAST ? (uint32_t)ratio(SECOND << (CLOCK_SHIFT - 4), (uint32_t)(hertz >> 4))
                              : 0;
}

uint64_t rate_hertz(uint32_t multiplier)
{
        return multiplier ? ratio(SECOND << CLOCK_SHIFT, multiplier) : 0;
}

/* A poll of the PIT, and the TSC after it. */
struct look {
        uint16_t count;
        uint64_t tsc;
};

static struct look rate_look(void)
{
        uint16_t count = pit_reference();
        return (struct look){count, tsc_read()};
}

static uint64_t shortest_look(void)
{
        uint64_t shortest = UINT64_MAX;
        struct look last = rate_look();
        for (unsigned i = 0; i < LOOKS; i++) {
                struct look now = rate_look();
                if (now.tsc - last.tsc < shortest)
                        shortest = now.tsc - last.tsc;
                last = now;
        }
        return shortest;
}

/* Hz; 0 = the PIT does not count. Measures between changes of its count. Polls around a jump are
 * excluded from both clocks; a piece between two jumps is off by one PIT count at most. */
static uint64_t by_window(uint16_t window)
{
        uint64_t span = 0, usual = LONG * shortest_look();
        uint32_t counts = 0;
        unsigned same = 0;
        bool begun = false;
        struct look last = rate_look(), edge = last;
        for (unsigned i = 0; i < MOST && same < PATIENCE && counts < window; i++) {
                struct look now = rate_look();
                same = now.count == last.count ? same + 1 : 0;
                if (now.tsc - last.tsc > usual) {
                        begun = false;
                } else if (!same) {
                        span += begun ? now.tsc - edge.tsc : 0;
                        counts += begun ? (uint16_t)(edge.count - now.count) : 0;
                        edge = now;
                        begun = true;
                }
                last = now;
        }
        return counts >= window ? ratio(span * PIT_HZ, counts) : 0;
}

static bool agree(uint64_t one, uint64_t other, uint32_t parts)
{
        uint64_t off = one > other ? one - other : other - one;
        return off <= ratio(other, parts);
}

static void put_in_order(uint64_t *spans, unsigned count, uint64_t span)
{
        for (; count && spans[count - 1] > span; count--)
                spans[count] = spans[count - 1];
        spans[count] = span;
}

/* The median of three neighbours that agree; 0 = there are none. */
static uint64_t settled(const uint64_t *hertz, unsigned count)
{
        for (unsigned i = 0; i + 2 < count; i++)
                if (agree(hertz[i], hertz[i + 2], AGREE))
                        return hertz[i + 1];
        return 0;
}

/* Measures windows of odd lengths until three agree. A window with a system management interrupt is
 * discarded. */
static uint64_t by_pit(struct rate *rate)
{
        static const uint16_t windows[] = {20011, 25013, 32003, 22501, 28019, 18013,
                                           34019, 23497, 30011, 19013, 26497, 35023};
        uint64_t sorted[RATE_WINDOWS], found = 0;
        _Static_assert(sizeof windows / sizeof *windows == RATE_WINDOWS, "windows");
        for (unsigned i = 0; i < RATE_WINDOWS && !found; i++) {
                int64_t smis = cycle_smis();
                uint64_t hertz = by_window(windows[i]);
                if (!hertz)
                        return 0;
                rate->pit = true;
                if (cycle_smis() != smis)
                        continue;
                put_in_order(sorted, rate->windows, hertz);
                rate->window[rate->windows++] = hertz;
                found = settled(sorted, rate->windows);
        }
        return found;
}

/* SDM 2A, CPUID: leaf 16H has the base frequency in MHz. */
static uint64_t base(void)
{
        return (uint64_t)(cpuid_leaf(0x16).ax & 0xffff) * 1000000;
}

/* Leaf 15H has the crystal's Hz and a factor. If the crystal is missing, the TSC runs at the base
 * frequency. */
static uint64_t nominal(void)
{
        struct cpuid crystal = cpuid_leaf(0x15);
        if (!crystal.ax || !crystal.bx)
                return 0;
        return crystal.cx ? ratio((uint64_t)crystal.cx * crystal.bx, crystal.ax) : base();
}

/* SDM 3A, "APIC Timer": it counts the crystal's beats if leaf 15H gives their rate. Otherwise its
 * unit is unknown, and it cannot be used as a check. */
static uint64_t by_apic(uint64_t hertz)
{
        uint64_t span = hertz >> 8;
        uint32_t crystal = cpuid_leaf(0x15).cx, counts = crystal ? apic_counts(&span) : 0;
        return counts ? ratio(span * (crystal / APIC_DIVISOR), counts) : 0;
}

/* Hz by the real-time clock, 0 = no beats: by its shortest and by its longest period. */
struct beats {
        uint64_t hertz, least, most;
        bool lost; /* some beats were lost */
};

/* The mean of all periods; a lost beat makes a period longer, then a short period is used. `told`:
 * the rate by the PIT, or 0. If the clock is late by two periods against it, it is given up: an
 * emulator's clock on a busy host. */
static struct beats by_rtc(uint64_t told)
{
        uint64_t spans[SPANS], mean = 0, latest = told ? ratio(told, RTC_BEATS / BEATS / 2) : ~0ull;
        bool beats = rtc_beats(true) && rtc_beat();
        for (unsigned n = 0; beats && n < SPANS; n++) {
                uint64_t start = tsc_read();
                for (unsigned i = 0; i < BEATS; i++)
                        beats = beats && rtc_beat();
                uint64_t span = tsc_read() - start;
                beats = beats && span < latest;
                put_in_order(spans, n, span);
                mean += span;
        }
        rtc_beats(false);
        if (!beats)
                return (struct beats){0};
        uint64_t short_one = spans[SPANS / 4];
        mean /= SPANS;
        bool lost = !agree(mean, short_one, NEAR);
        return (struct beats){.hertz = (lost ? short_one : mean) * (RTC_BEATS / BEATS),
                              .least = spans[0] * (RTC_BEATS / BEATS),
                              .most = spans[SPANS - 1] * (RTC_BEATS / BEATS),
                              .lost = lost};
}

/* The PIT counts, but its windows disagree: the other sources must agree. */
static uint64_t rate_settle(struct rate *rate, bool lost)
{
        if (rate->nominal && rate->rtc && !lost && agree(rate->nominal, rate->rtc, WITNESS)) {
                rate->by = "CPUID.15H";
                return rate->nominal;
        }
        rate->doubt = "no three windows of the PIT agree within 500 ppm";
        return rate->nominal ? rate->nominal : rate->rtc ? rate->rtc : rate->window[0];
}

/* The PIT does not count. */
static uint64_t without_pit(struct rate *rate, bool lost)
{
        rate->by = rate->nominal ? "CPUID.15H" : "the real-time clock";
        if (rate->nominal)
                return rate->nominal;
        if (lost)
                rate->doubt = "the real-time clock has lost beats";
        return rate->rtc;
}

/* The first source that disagrees, or NULL. A clock that lost beats is not used. An emulator's
 * clock beats early and late: any rate between its shortest and longest period is accepted. */
static const char *contradiction(const struct rate *rate, const struct beats *rtc)
{
        bool steady = !rtc->lost && (rate->hertz < rtc->least || rate->hertz > rtc->most);
        const struct {
                uint64_t hertz;
                uint32_t parts;
                const char *doubt;
        } witnesses[] = {
                {rate->nominal, WITNESS, "CPUID.15H says another rate, by more than 1 %"},
                {rate->base, ROUNDED, "CPUID.16H says another rate, by more than 5 %"},
                {rate->apic, WITNESS, "the local APIC's timer says another rate, by more than 1 %"},
                {steady ? rate->rtc : 0, WITNESS,
                 "the real-time clock says another rate, by more than 1 %"},
        };
        for (size_t i = 0; i < sizeof witnesses / sizeof *witnesses; i++)
                if (witnesses[i].hertz &&
                    !agree(rate->hertz, witnesses[i].hertz, witnesses[i].parts))
                        return witnesses[i].doubt;
        return NULL;
}

/* The PIT's next change. */
static struct look rate_edge(void)
{
        struct look first = rate_look(), now = first;
        for (unsigned i = 0; i < PATIENCE && now.count == first.count; i++)
                now = rate_look();
        return now;
}

/* If the TSC counts instructions there are no disturbances: two changes of the count are enough.
 * Between them it is read seldom, because a device is what an emulator is slowest at. */
static uint64_t by_exact(struct rate *rate)
{
        struct look from = rate_edge(), to = from;
        for (unsigned i = 0; i < RESTS && (uint16_t)(from.count - to.count) < WINDOW_EXACT; i++) {
                for (volatile unsigned round = 0; round < 1000; round++)
                        ;
                to = rate_look();
        }
        to = rate_edge();
        uint16_t counts = (uint16_t)(from.count - to.count);
        rate->pit = counts >= WINDOW_EXACT;
        return rate->pit ? ratio((to.tsc - from.tsc) * PIT_HZ, counts) : 0;
}

struct rate rate_find(bool exact)
{
        struct rate rate = {.by = "the PIT", .nominal = nominal(), .base = base()};
        struct beats rtc = {0};
        pit_reference_init();
        rate.hertz = exact ? by_exact(&rate) : by_pit(&rate);
        if (!exact || !rate.hertz)
                rtc = by_rtc(rate.hertz);
        rate.rtc = rtc.hertz;
        if (!rate.hertz)
                rate.hertz = rate.pit ? rate_settle(&rate, rtc.lost) : without_pit(&rate, rtc.lost);
        if (!exact && rate.hertz) {
                rate.apic = by_apic(rate.hertz);
                if (!rate.doubt)
                        rate.doubt = contradiction(&rate, &rtc);
        }
        if (rtc.lost && rate.hertz != rate.rtc)
                rate.rtc = 0; /* no witness */
        rate.multiplier = multiplier_at(rate.hertz);
        if (!rate.hertz)
                rate.by = "";
        return rate;
}
