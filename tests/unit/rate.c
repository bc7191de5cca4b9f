/*
 * rate.c - who is asked how fast the TSC runs (kernel/unix/clock/rate.c), on machines that lack one
 * clock or another. The test's own time goes on with each reading; whoever does not answer is given
 * up.
 */
#include "unit.h"
#include "arch.h"
#include "cpu/cpu.h"
#include "cpu/features.h"
#include "machine/pit.h"
#include "dev/rtc.h"

#define STEP 2000 /* counts of the TSC that a reading of a device takes: 1 us */
#define HERTZ 2000000000u

static uint64_t now;
static uint64_t tsc_scripted(void);
#define tsc_read tsc_scripted
#include "clock/rate.c"

static unsigned pit_stops; /* after so many readings; 0 = it never counts */
static unsigned readings, beat;
static bool rtc_there, loses_beats;
static struct cpuid leaf_15, leaf_16;

static uint64_t tsc_scripted(void)
{
        return now;
}

void pit_reference_init(void)
{
        readings = 0;
}

uint16_t pit_reference(void)
{
        now += STEP;
        if (readings < pit_stops)
                readings++;
        return (uint16_t) - (uint64_t)((unsigned __int128)readings * STEP * PIT_HZ / HERTZ);
}

struct cpuid cpuid_leaf(uint32_t leaf)
{
        return leaf == 0x15 ? leaf_15 : leaf == 0x16 ? leaf_16 : (struct cpuid){0};
}

bool rtc_beats(bool on)
{
        (void)on;
        return rtc_there;
}

bool rtc_beat(void)
{
        now += HERTZ / RTC_BEATS * (loses_beats && ++beat % 8 == 0 ? 20 : 1);
        return true;
}

uint32_t divide64(uint64_t *value, uint32_t divisor)
{
        uint32_t rest = (uint32_t)(*value % divisor);
        *value /= divisor;
        return rest;
}

static void asks(const char *by, uint64_t hertz)
{
        struct rate rate = rate_find(false);
        uint64_t found = rate_hertz(rate.multiplier),
                 off = found > hertz ? found - hertz : hertz - found;
        assert_string_equal(rate.by, by);
        assert_int_equal(rate.pit, !strcmp(by, "the PIT"));
        assert_true(off <= hertz / 1000);
}

static void each_in_turn(void **state)
{
        (void)state;
        pit_stops = UINT32_MAX;
        asks("the PIT", HERTZ);
        leaf_15 = (struct cpuid){2, 166, 24000000, 0};
        asks("the PIT", HERTZ);
        pit_stops = 0;
        asks("CPUID.15H", 1992000000);
        leaf_15.cx = 0;
        leaf_16.ax = 5000;
        asks("CPUID.15H", 5000000000);
        leaf_15.ax = 0;
        asks("", 0);
        rtc_there = true;
        asks("the real-time clock", HERTZ);
        loses_beats = true;
        asks("the real-time clock", HERTZ);
}

static void who_stops_is_given_up(void **state)
{
        (void)state;
        rtc_there = loses_beats = false;
        leaf_15 = leaf_16 = (struct cpuid){0};
        for (pit_stops = 0; pit_stops < 20000; pit_stops = 2 * pit_stops + 1)
                asks("", 0);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(each_in_turn),
                cmocka_unit_test(who_stops_is_given_up),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
