/*
 * counter.c - what the counter is taken for (kernel/cpu/counter.h), on counters that are not here:
 * the reading of each loop is made up, a loop after the other, as counter_try() runs them.
 */
#include "unit.h"
#include "arch.h"
#include "cpu/cpu.h"
#include "cpu/features.h"

static uint64_t tsc_scripted(void);
#define tsc_read tsc_scripted
#include "cpu/counter.c"

bool cpu_features[FEATURES];

static const struct clock {
        const char *name;
        unsigned cheap, dear; /* a round */
        unsigned noise;       /* what every second reading is late by */
        bool exact, readable;
} * clock;

/* Each loop reads twice: before it, and behind it. So many rounds it has, of which mix:
 * counter_try() warms a mix up with 1000, and then alternates between 1000 and 3000. */
static unsigned reading;
static uint64_t now;

static uint64_t tsc_scripted(void)
{
        const unsigned loops = 1 + 2 * TRIES;
        unsigned loop = reading / 2, rounds = loop % loops && loop % loops % 2 == 0 ? 3000 : 1000;
        if (reading++ % 2)
                now += 2 + (uint64_t)rounds * (loop < loops ? clock->cheap : clock->dear) +
                       loop % 2 * clock->noise;
        return now;
}

static void clocks(void **state)
{
        (void)state;
        static const struct clock known[] = {
                {"instructions", 4, 4, 0, true, true},
                {"a cycle an instruction, but for division", 4, 41, 0, false, true},
                {"division alone reads as long as it is", 2, 4, 0, false, true},
                {"half a cycle an instruction", 2, 20, 0, false, true},
                {"host ticks", 5, 30, 700, false, true},
                {"nearly exact", 4, 4, 1, false, true},
                {"it stands still", 0, 0, 0, false, false},
        };
        for (clock = known; clock < known + sizeof known / sizeof *known; clock++) {
                reading = 0;
                struct counter counter = counter_try(false, false);
                bool exact = !strcmp(counter.unit, "instructions");
                if (counter.exact != clock->exact || exact != clock->exact)
                        fail_msg("%s: taken for %s", clock->name, counter.unit);
                if (clock->noise == 0)
                        assert_int_equal(counter.readable, clock->readable);
        }
}

static void ticks_of_an_emulator(void **state)
{
        (void)state;
        static const struct clock ticks = {"host ticks", 3, 17, 0, false, true};
        clock = &ticks;
        reading = 0;
        static const struct {
                bool emulated, hypervisor, insists;
                const char *unit;
        } cases[] = {
                {true, false, false, "host ticks"}, {false, true, false, "host ticks"},
                {false, false, false, "cycles"},    {false, false, true, "cycles"},
                {false, true, true, "cycles"},      {true, true, true, "cycles"},
        };
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
                reading = 0;
                cpu_features[FEATURE_HYPERVISOR] = cases[i].hypervisor;
                struct counter counter = counter_try(cases[i].emulated, cases[i].insists);
                assert_string_equal(counter.unit, cases[i].unit);
                assert_int_equal(counter.insisted,
                                 cases[i].insists && (cases[i].emulated || cases[i].hypervisor));
        }
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(clocks),
                cmocka_unit_test(ticks_of_an_emulator),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
