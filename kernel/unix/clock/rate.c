/*
 * rate.c - how fast the TSC runs: measured by channel 2 of the PIT, else what CPUID says, else
 * measured by the beats of the real-time clock.
 *
 * Whoever does not answer is not waited for: a laptop may have its PIT switched off, for it keeps
 * the chipset awake.
 */
#include "clock/rate.h"
#include "clock/page.h"
#include "cpu/cpu.h"
#include "cpu/features.h"
#include "machine/pit.h"
#include "dev/rtc.h"
#include "lib/printf.h"

#define SECOND ((uint64_t)1 << 32)
#define WINDOW (PIT_HZ / 50) /* counts of the PIT */
#define WINDOW_EXACT (PIT_HZ / 500)
#define PATIENCE 100000 /* readings */
#define SPANS 16        /* of the real-time clock ... */
#define BEATS 4         /* ... by so many of its beats: 62.5 ms in all */
#define NEAR 64         /* a mean that is off a short one by less than one part in so many stands */
#define LEAST 34000000  /* Hz that a multiplier has room for */

uint64_t ratio(uint64_t value, uint32_t divisor)
{
        divide64(&value, divisor);
        return value;
}

/* A multiplier for a TSC that has advanced so much in so many counts of the PIT */
static uint32_t multiplier_of(uint64_t counts, uint32_t pit)
{
        uint64_t span = ratio((uint64_t)pit << 32, PIT_HZ);
        return counts && counts >> 32 == 0 ? (uint32_t)ratio(span << CLOCK_SHIFT, (uint32_t)counts)
                                           : 0;
}

/* From Hz, which may be more than 32 bits have room for */
static uint32_t multiplier_at(uint64_t hertz)
{
        return hertz >= LEAST ? (uint32_t)ratio(SECOND << (CLOCK_SHIFT - 4), (uint32_t)(hertz >> 4))
                              : 0;
}

uint64_t rate_hertz(uint32_t multiplier)
{
        return multiplier ? ratio(SECOND << CLOCK_SHIFT, multiplier) : 0;
}

/* The TSC at a moment when the PIT has just counted; 0 = it does not count. */
static uint64_t at_an_edge(uint16_t *count)
{
        uint16_t before = pit_reference();
        for (unsigned i = 0; i < PATIENCE; i++)
                if ((*count = pit_reference()) != before)
                        return tsc_read();
        return 0;
}

static void idle(void)
{
        for (unsigned rounds = 1000; rounds; rounds--)
                __asm__ volatile("");
}

static uint32_t by_pit(uint16_t window)
{
        uint16_t from, to;
        uint64_t start = at_an_edge(&from);
        if (!start)
                return 0;
        for (unsigned i = 0; i < PATIENCE && (uint16_t)(from - pit_reference()) < window; i++)
                idle();
        uint64_t end = at_an_edge(&to);
        return end ? multiplier_of(end - start, (uint16_t)(from - to)) : 0;
}

/* SDM 2A, CPUID: leaf 15H has the crystal's Hz and what they are multiplied with, leaf 16H the base
 * frequency in MHz, which is the TSC's where 15H leaves the crystal out. */
uint64_t rate_nominal(void)
{
        struct cpuid crystal = cpuid_leaf(0x15);
        if (!crystal.ax || !crystal.bx)
                return 0;
        return crystal.cx ? ratio((uint64_t)crystal.cx * crystal.bx, crystal.ax)
                          : (uint64_t)(cpuid_leaf(0x16).ax & 0xffff) * 1000000;
}

static void put_in_order(uint64_t *spans, unsigned count, uint64_t span)
{
        for (; count && spans[count - 1] > span; count--)
                spans[count] = spans[count - 1];
        spans[count] = span;
}

/* The mean of all spans; a lost beat makes one longer, so else a short one of them. */
static uint32_t by_rtc(void)
{
        uint64_t spans[SPANS], mean = 0;
        bool beats = rtc_beats(true) && rtc_beat();
        for (unsigned n = 0; beats && n < SPANS; n++) {
                uint64_t start = tsc_read();
                for (unsigned i = 0; i < BEATS; i++)
                        beats = beats && rtc_beat();
                uint64_t span = tsc_read() - start;
                put_in_order(spans, n, span);
                mean += span;
        }
        rtc_beats(false);
        if (!beats)
                return 0;
        uint64_t short_one = spans[SPANS / 4];
        mean /= SPANS;
        uint64_t off = mean > short_one ? mean - short_one : short_one - mean;
        return multiplier_at((off > short_one / NEAR ? short_one : mean) * (RTC_BEATS / BEATS));
}

struct rate rate_find(bool exact)
{
        pit_reference_init();
        struct rate rate = {by_pit(exact ? WINDOW_EXACT : WINDOW), "the PIT", true};
        if (!rate.multiplier)
                rate = (struct rate){multiplier_at(rate_nominal()), "CPUID.15H", false};
        if (!rate.multiplier)
                rate = (struct rate){by_rtc(), "the real-time clock", false};
        if (!rate.multiplier)
                rate.by = "";
        return rate;
}
