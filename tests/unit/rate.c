/* rate.c - the sources of the TSC's rate (kernel/unix/clock/rate.c), on machines that lack one
 * clock or another. Each reading advances the test's own time; a clock that does not answer is
 * given up. */
#include "unit.h"
#include "arch.h"
#include "cpu/cpu.h"
#include "cpu/features.h"
#include "machine/apic.h"
#include "machine/pit.h"
#include "dev/rtc.h"

#define STEP 2000 /* counts of the TSC that a reading of a device takes: 1 us */
#define HERTZ 2000000000u

static uint64_t now;
static uint64_t tsc_scripted(void);
#define tsc_read tsc_scripted
#include "clock/rate.c"

static unsigned pit_stops; /* after this many readings; 0 = it never counts */
static unsigned readings, beat;
static bool rtc_there, loses_beats, jitters;
static uint64_t runs, stops,
        until; /* the host lets the machine run, and stops it, for these times */
static int64_t smis;
static uint64_t smi_until;             /* a firmware interrupt comes each millisecond until then */
static double drift;                   /* drift of the PIT from its own rate in a second */
static uint64_t drifts_since;          /* the TSC there */
static unsigned apic_hz, rtc_permille; /* rate of the APIC's timer; the error of the clock's rate */
static struct cpuid leaf_15, leaf_16;

static uint64_t tsc_scripted(void)
{
        return now;
}

/* Time goes on while the machine is stopped, and so do TSC and PIT. */
static void pass(uint64_t counts)
{
        now += counts;
        if (stops && now >= until) {
                now += stops;
                until = now + runs;
        }
}

void pit_reference_init(void)
{
        readings = 0;
}

uint16_t pit_reference(void)
{
        pass(STEP);
        if (pit_stops == UINT32_MAX) {
                double seconds = (double)(now - drifts_since) / HERTZ;
                return (uint16_t) - (uint64_t)((seconds + drift * seconds * seconds / 2) * PIT_HZ);
        }
        if (readings < pit_stops)
                readings++;
        return (uint16_t) - (uint64_t)((unsigned __int128)readings * STEP * PIT_HZ / HERTZ);
}

int64_t cycle_smis(void)
{
        return smis < 0 ? smis
                        : smis + (int64_t)((now < smi_until ? now : smi_until) * 1000 / HERTZ);
}

uint32_t apic_counts(uint64_t *span)
{
        return (uint32_t)((unsigned __int128)*span * apic_hz / 16 / HERTZ);
}

struct cpuid cpuid_leaf(uint32_t leaf)
{
        return leaf == 0x15 ? leaf_15 : leaf == 0x16 ? leaf_16 : (struct cpuid){0};
}

bool rtc_beats(bool on)
{
        return rtc_there;
}

bool rtc_beat(void)
{
        int late = jitters && ++beat / 4 % SPANS == 0 ? -35 : 0;
        pass(HERTZ / RTC_BEATS / 1000 * (1000 + rtc_permille + late) *
             (loses_beats && ++beat % 32 == 0 ? 2 : 1));
        return true;
}

uint32_t divide64(uint64_t *value, uint32_t divisor)
{
        uint32_t rest = (uint32_t)(*value % divisor);
        *value /= divisor;
        return rest;
}

static uint64_t off(uint64_t found, uint64_t hertz)
{
        return found > hertz ? found - hertz : hertz - found;
}

static void asks(const char *by, uint64_t hertz, const char *doubt)
{
        struct rate rate = rate_find(false);
        assert_string_equal(rate.by, by);
        assert_int_equal(rate.pit, !strcmp(by, "the PIT"));
        assert_true(off(rate.hertz, hertz) <= hertz / 1000);
        assert_int_equal(rate.doubt != NULL, doubt != NULL);
        if (doubt)
                assert_non_null(strstr(rate.doubt, doubt));
}

static void each_in_turn(void **state)
{
        pit_stops = UINT32_MAX;
        asks("the PIT", HERTZ, NULL);
        leaf_15 = (struct cpuid){2, 2000, 2000000, 0};
        asks("the PIT", HERTZ, NULL);
        leaf_15 = (struct cpuid){2, 166, 24000000, 0};
        asks("the PIT", HERTZ, NULL); /* it is 0.4 % off */
        leaf_15.bx = 170;
        asks("the PIT", HERTZ, "CPUID.15H says");
        leaf_15.bx = 166;
        pit_stops = 0;
        asks("CPUID.15H", 1992000000, NULL);
        leaf_15.cx = 0;
        leaf_16.ax = 5000;
        asks("CPUID.15H", 5000000000, NULL);
        leaf_15.ax = 0;
        asks("", 0, NULL);
        leaf_16.ax = 2000;
        rtc_there = true;
        asks("the real-time clock", HERTZ, NULL);
        loses_beats = true;
        asks("the real-time clock", HERTZ, "lost beats");
        leaf_15 = leaf_16 = (struct cpuid){0};
        rtc_there = loses_beats = false;
}

/* A host that takes the processor away: a rate that is 1 % off is never certain. If the processor
 * returns before a window ends, some windows agree. */
static void a_host_that_stops_the_machine(void **state)
{
        static const unsigned stop_ms[] = {1, 5, 20, 54, 55, 60, 110, 120, 165, 300, 1000};
        static const unsigned run_ms[] = {1, 5, 15, 20, 40, 75, 200, 1000};
        const uint64_t ms = HERTZ / 1000;
        pit_stops = UINT32_MAX;
        unsigned wrong = 0, certain = 0, all = 0;
        for (unsigned s = 0; s < sizeof stop_ms / sizeof *stop_ms; s++)
                for (unsigned r = 0; r < sizeof run_ms / sizeof *run_ms; r++)
                        for (unsigned phase = 0; phase < 23; phase++, all++) {
                                stops = stop_ms[s] * ms;
                                runs = run_ms[r] * ms;
                                until = now + runs * phase / 23 + phase * 977;
                                struct rate rate = rate_find(false);
                                bool far = off(rate.hertz, HERTZ) > HERTZ / 100;
                                wrong += far && !rate.doubt;
                                if (far && !rate.doubt)
                                        printf("stop %u run %u phase %u by %s pit %d windows %u "
                                               "rate %llu\n",
                                               stop_ms[s], run_ms[r], phase, rate.by, rate.pit,
                                               rate.windows, (unsigned long long)rate.hertz);
                                certain += !rate.doubt;
                        }
        stops = 0;
        assert_int_equal(wrong, 0);
        assert_true(certain > all / 3);
}

/* A clock that contradicts the others is noticed, alone and if none agrees. */
static void each_witness_can_contradict(void **state)
{
        pit_stops = UINT32_MAX;
        leaf_15 = (struct cpuid){2, 166, 24000000, 0};
        leaf_16.ax = 2000;
        apic_hz = 24000000;
        rtc_there = true;
        asks("the PIT", HERTZ, NULL);
        struct rate rate = rate_find(false);
        assert_true(rate.windows >= 3 && rate.nominal && rate.base && rate.apic && rate.rtc);
        leaf_16.ax = 2200;
        asks("the PIT", HERTZ, "CPUID.16H says");
        leaf_16.ax = 2000;
        apic_hz = 24400000;
        asks("the PIT", HERTZ, "APIC's timer says");
        apic_hz = 24000000;
        rtc_permille = 15;
        asks("the PIT", HERTZ, "the real-time clock says");
        jitters = true; /* the PIT's rate is between its shortest and longest period */
        asks("the PIT", HERTZ, NULL);
        jitters = false;
        rtc_permille = 1500; /* too slow: it is given up after one period */
        uint64_t before = now;
        asks("the PIT", HERTZ, NULL);
        assert_true(now - before < HERTZ / 10);
        rtc_permille = 15;
        loses_beats = true; /* then its rate is not used */
        asks("the PIT", HERTZ, NULL);
        assert_int_equal(rate_find(false).rtc, 0);
        leaf_15 = leaf_16 = (struct cpuid){0};
        assert_int_equal(rate_find(false).apic, 0);
        rtc_there = loses_beats = false;
        apic_hz = rtc_permille = 0;
}

/* A window with a firmware interrupt does not count. */
static void who_counts_interrupts_of_the_firmware(void **state)
{
        pit_stops = UINT32_MAX;
        smis = -1; /* nobody counts them */
        asks("the PIT", HERTZ, NULL);
        smis = 5;
        asks("the PIT", HERTZ, NULL);
        uint64_t before = now;
        smi_until = now + HERTZ / 10;
        struct rate rate = rate_find(false);
        assert_true(rate.windows >= 3 && !rate.doubt);
        assert_true(now - before > HERTZ / 10 + HERTZ / 20); /* three more were taken */
        smi_until = UINT64_MAX;
        rate = rate_find(false);
        assert_int_equal(rate.windows, 0);
        assert_non_null(rate.doubt);
        smi_until = 0;
        smis = 0;
}

/* A rate that moves by 0.2 % from one window to the next is refused; a steadier one is not. */
static void three_windows_agree_within_500_ppm(void **state)
{
        pit_stops = UINT32_MAX;
        for (unsigned fast = 0; fast < 2; fast++) {
                drifts_since = now;
                drift = fast ? 0.1 : 0.001;
                struct rate rate = rate_find(false);
                assert_int_equal(rate.windows, fast ? RATE_WINDOWS : 3);
                assert_int_equal(rate.doubt != NULL, fast);
        }
        drift = 0;
}

static void who_stops_is_given_up(void **state)
{
        rtc_there = loses_beats = false;
        leaf_15 = leaf_16 = (struct cpuid){0};
        for (pit_stops = 0; pit_stops < 20000; pit_stops = 2 * pit_stops + 1)
                asks("", 0, NULL);
}

int main(void)
{
        const struct CMUnitTest tests[] = {cmocka_unit_test(each_in_turn),
                                           cmocka_unit_test(a_host_that_stops_the_machine),
                                           cmocka_unit_test(each_witness_can_contradict),
                                           cmocka_unit_test(who_counts_interrupts_of_the_firmware),
                                           cmocka_unit_test(three_windows_agree_within_500_ppm),
                                           cmocka_unit_test(who_stops_is_given_up)};
        return cmocka_run_group_tests(tests, NULL, NULL);
}
