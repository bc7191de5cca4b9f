/* clock.c - keeps the time: the scaled TSC, updated at each tick of the timer.
 *
 * Channel 2 of the PIT, which nothing else uses, measures the TSC's rate to 500 ppm (rate.c). The
 * clock is corrected while the machine runs, after 1, 2, 4 to 32 seconds. A correction changes the
 * rate, and spreads the accumulated offset over the next interval. The clock is slewed by at most
 * 500 ppm, never stepped. */
#include "clock/clock.h"
#include "clock/rate.h"
#include "cpu/features.h"
#include "machine/apic.h"
#include "machine/console.h"
#include "machine/pit.h"
#include "dev/rtc.h"
#include "machine/timer.h"
#include "thread/schedule.h"
#include "lib/printf.h"
#include "lib/string.h"
#include "machine/quiet.h"

#define SECOND ((uint64_t)1 << 32)
#define STRETCH_MOST 5             /* 2^5 s between two corrections */
#define SLEW_SHIFT 11              /* 1 / 2^11: 488 ppm */
#define READ_MOST (SECOND / 20000) /* PIT and TSC are read within 50 us, or not used */
#define ELAPSED_MOST (1000 * SECOND)
#define SPAN_MOST (SECOND << 31)

union clock_frame clock_frame __attribute__((aligned(PAGE_SIZE)));
struct clock_page clock_update;
uint32_t clock_told;

static const char *no_tsc; /* why the clock counts ticks instead */
static struct rate rate;
static const struct ticker *other; /* the ticker if the PIT does not interrupt; or NULL */
static bool other_ticks;

/* The last correction. */
static struct {
        uint16_t count; /* PIT's count */
        uint64_t moment;
        int64_t behind;   /* total offset of the clock behind the PIT */
        unsigned stretch; /* log2 of the seconds to the next correction */
        uint64_t next;
} last;

static void wait_for_tick(void)
{
        for (uint32_t before = timer_ticks; timer_ticks == before;)
                interrupt_wait();
}

/* Whether the TSC runs while the processor is halted: compares a tick with the next but one. In
 * deep sleep it may stop. A single tick may be late, not every one. */
static bool runs_halted(void)
{
        uint64_t longest = 0, enough = ratio(rate.hertz * 3 / 2, TIMER_HZ);
        quiet_set(false);
        for (unsigned tries = 0; tries < 4 && longest < enough; tries++) {
                wait_for_tick();
                uint64_t start = tsc_read();
                wait_for_tick();
                wait_for_tick();
                uint64_t span = tsc_read() - start;
                longest = span > longest ? span : longest;
        }
        quiet_set(true);
        return longest >= enough;
}

/* Why this TSC may change its rate, or NULL. An emulator's TSC is always steady. */
static const char *missing_tsc(const struct counter *counter)
{
        const struct cpu_identity *cpu = &cpu_identity;
        bool constant =
                strcmp(counter->unit, "cycles") != 0 || feature_has(FEATURE_HYPERVISOR) ||
                feature_has(FEATURE_INVARIANT_TSC) ||
                (!strcmp(cpu->vendor, "GenuineIntel") && ((cpu->family == 6 && cpu->model >= 14) ||
                                                          (cpu->family == 15 && cpu->model >= 3)));
        return constant ? NULL : "CPUID.80000007H:EDX.InvariantTSC[bit 8] = 0";
}

static void begin_stretch(uint16_t count, uint64_t moment)
{
        last.count = count;
        last.moment = moment;
        last.next = rate.pit ? moment + (SECOND << last.stretch) : UINT64_MAX;
}

__attribute__((noinline)) void clock_set_end(struct clock_page *update)
{
        uint64_t left = SECOND - update->moment_low;
        update->end = update->multiplier
                              ? update->tsc + ratio(left << CLOCK_SHIFT, update->multiplier)
                              : UINT64_MAX;
}

uint64_t clock_init(const struct counter *counter, const char *source)
{
        no_tsc = !strcmp(source, "ticks") ? "the command line says so"
                 : !strcmp(source, "tsc") ? NULL
                                          : missing_tsc(counter);
        rate = counter->readable ? rate_find(counter->exact) : (struct rate){.by = ""};
        quiet_set(false);
        other_ticks = !timer_answers();
        quiet_set(true);
        if (other_ticks)
                timer_tick_by(other = apic_ticker(rate.hertz));
        if (!rate.hertz)
                no_tsc = "nobody tells the rate of the TSC";
        else if (!no_tsc && *source == 0 && !(other_ticks && !other) && !runs_halted())
                no_tsc = "the TSC does not run on while the processor is halted";
        else if (!rate.multiplier)
                no_tsc = "the TSC runs at less than 34 MHz";
        if (!no_tsc)
                clock_update.multiplier = rate.multiplier;
        alarm_fine = clock_is_fine();
        clock_update.boot = rtc_read();
        clock_update.moment_high = clock_update.boot;
        clock_update.tsc = tsc_read();
        begin_stretch(pit_reference(), clock_update.moment);
        clock_set_end(&clock_update);
        clock_frame.page = clock_update;
        return rate.doubt ? 0 : rate.hertz;
}

const struct rate *clock_rate(void)
{
        return &rate;
}

uint64_t clock_hertz(void)
{
        return no_tsc || rate.doubt ? 0 : rate_hertz(clock_update.multiplier);
}

void clock_say(void)
{
        char date[RTC_TEXT] = "no date";
        if (clock_update.boot)
                rtc_text(date, clock_update.boot);
        if (other_ticks)
                say("The PIT does not interrupt: %s.\n",
                    other ? "the local APIC's timer ticks in its place"
                          : "nothing else ticks here either, so what computes is never "
                            "interrupted");
        if (no_tsc) {
                say("The clock counts ticks (%s). It is %s.\n", no_tsc, date);
                return;
        }
        if (rate.doubt) {
                say("The rate of the TSC is not certain: %s. The clock runs by it. It is %s.\n",
                    rate.doubt, date);
                return;
        }
        uint32_t kilohertz = (uint32_t)ratio(clock_hertz() + 500, 1000);
        say("The clock is the TSC at %u.%03u MHz. It is %s.\n", (unsigned)(kilohertz / 1000),
            (unsigned)(kilohertz % 1000), date);
}

static int64_t clamp(int64_t value, int64_t most)
{
        return value > most ? most : value < -most ? -most : value;
}

/* value * part / whole, for |part| below 2^30 and `whole` of 1 to 1000 s */
static uint32_t adjusted(uint32_t value, int64_t part, uint64_t whole)
{
        uint64_t size = (uint64_t)(part < 0 ? -part : part);
        uint32_t change = (uint32_t)ratio(value * size >> 16, (uint32_t)(whole >> 16));
        return part < 0 ? value - change : value + change;
}

/* The PIT's total count is known except for multiples of 2^16, which the clock supplies. */
static __attribute__((cold, noinline)) void correct(void)
{
        uint64_t before = tsc_read();
        uint16_t count = pit_reference();
        uint64_t after = tsc_read();
        uint64_t moment = clock_update.moment +
                          clock_span(before - clock_update.tsc, clock_update.multiplier);
        uint64_t elapsed = moment - last.moment;
        if (clock_span(after - before, clock_update.multiplier) > READ_MOST)
                return;
        if (elapsed > ELAPSED_MOST) {
                begin_stretch(count, moment);
                return;
        }
        uint64_t expected = elapsed * (PIT_HZ / 2) >> 31;
        uint64_t counts =
                expected + (uint64_t)(int16_t)((uint16_t)(last.count - count) - (uint16_t)expected);
        int64_t behind = (int64_t)(ratio(counts << 32, PIT_HZ) - elapsed);
        last.behind = clamp(last.behind + behind, SECOND);
        if (last.stretch < STRETCH_MOST)
                last.stretch++;
        uint64_t stretch = SECOND << last.stretch;
        int64_t slew = clamp(last.behind, (int64_t)(stretch >> SLEW_SHIFT));
        clock_update.multiplier =
                adjusted(adjusted(clock_update.multiplier, behind, elapsed), slew, stretch);
        begin_stretch(count, moment);
}

static __attribute__((noinline)) void begin_second(void)
{
        if (clock_update.moment >= last.next && clock_update.multiplier)
                correct();
        clock_set_end(&clock_update);
        clock_told = clock_update.moment_high;
        clock_write(&clock_frame.page, &clock_update, true);
}

void clock_tick(void)
{
        uint64_t tsc = tsc_read();
        if (clock_update.multiplier)
                clock_update.moment += clock_span(tsc - clock_update.tsc, clock_update.multiplier);
        else
                clock_update.moment += timer_period();
        clock_update.tsc = tsc;
        clock_update.number_1 = ++clock_update.number_2;
        if (clock_update.moment_high == clock_told)
                clock_write(&clock_frame.page, &clock_update, false);
        else
                begin_second();
}

uint32_t clock_resolution_coarse(void)
{
        return moment_parts(timer_period(), NANOSECONDS);
}

uint32_t clock_resolution(void)
{
        return clock_is_fine() ? 1 : clock_resolution_coarse();
}

bool clock_is_fine(void)
{
        return clock_update.multiplier;
}

uint64_t clock_after(uint64_t span)
{
        if (!span)
                return 0;
        span = span < SPAN_MOST ? span : SPAN_MOST;
        return clock_now() + span + (clock_is_fine() ? 0 : timer_period());
}
