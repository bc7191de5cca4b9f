/* counter.c - recognising the counter (kernel/toll/counter.h), with invented counters: the readings
 * of each loop are made up, one loop after the other, as counter_try() runs them. */
#include "unit.h"
#include "arch.h"
#include "cpu/cpu.h"
#include "cpu/features.h"

static uint64_t tsc_scripted(void);
#define tsc_read tsc_scripted
#include "toll/counter.c"

bool cpu_features[FEATURES];

static const struct clock {
        const char *name;
        unsigned cheap, dear; /* a round */
        unsigned noise;       /* every second reading is this late */
        bool exact, readable;
        unsigned once; /* one reading of a short loop is this late */
} * clock;

/* Each loop reads twice: before it and after it. The number of rounds, and the mix: counter_try()
 * warms a mix up with 1000 rounds, and then alternates between 1000 and 3000. */
static unsigned reading;
static uint64_t now;

static uint64_t tsc_scripted(void)
{
        const unsigned loops = 1 + 2 * TRIES;
        unsigned loop = reading / 2, rounds = loop % loops && loop % loops % 2 == 0 ? 3000 : 1000;
        if (reading++ % 2)
                now += 2 + (uint64_t)rounds * (loop < loops ? clock->cheap : clock->dear) +
                       loop % 2 * clock->noise + (loop == 3) * clock->once;
        return now;
}

static void clocks(void **state)
{
        static const struct clock known[] = {
                {"instructions", 4, 4, 0, true, true, 0},
                {"a cycle an instruction, but for division", 4, 41, 0, false, true, 0},
                {"division alone reads as long as it is", 2, 4, 0, false, true, 0},
                {"half a cycle an instruction", 2, 20, 0, false, true, 0},
                {"host ticks", 5, 30, 700, false, true, 0},
                {"nearly exact", 4, 4, 1, false, true, 0},
                {"a short loop reads longer than a long one", 5, 30, 90000, false, false, 0},
                {"it stands still", 0, 0, 0, false, false, 0},
                {"the host was away once", 5, 30, 0, false, true, 100000}};
        for (clock = known; clock < known + sizeof known / sizeof *known; clock++) {
                reading = 0;
                struct counter counter = counter_try(false, false);
                bool exact = !strcmp(counter.unit, "instructions");
                if (counter.exact != clock->exact || exact != clock->exact)
                        fail_msg("%s: taken for %s", clock->name, counter.unit);
                assert_int_equal(counter.readable, clock->readable);
        }
}

static void ticks_of_an_emulator(void **state)
{
        static const struct clock ticks = {"host ticks", 3, 17, 0, false, true, 0};
        clock = &ticks;
        reading = 0;
        static const struct {
                bool emulated, hypervisor, insists;
                const char *unit;
        } cases[] = {{true, false, false, "host ticks"}, {false, true, false, "host ticks"},
                     {false, false, false, "cycles"},    {false, false, true, "cycles"},
                     {false, true, true, "cycles"},      {true, true, true, "cycles"}};
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
                reading = 0;
                cpu_features[FEATURE_HYPERVISOR] = cases[i].hypervisor;
                struct counter counter = counter_try(cases[i].emulated, cases[i].insists);
                assert_string_equal(counter.unit, cases[i].unit);
                assert_int_equal(counter.insisted,
                                 cases[i].insists && (cases[i].emulated || cases[i].hypervisor));
        }
}

/* The readings of two stamps with a loop between, in an invented emulator. */
static int64_t of_pair, of_short, of_long;
static unsigned late; /* readings until one is one more */

static int64_t read_scripted(unsigned rounds)
{
        int64_t length = rounds ? 1 + 2 * (int64_t)rounds : 0;
        int64_t more = !rounds ? of_pair : rounds == LOOP_ROUNDS ? of_short : of_long;
        return 12 + length + more + (late && !--late);
}

static void offsets(void **state)
{
        static const struct {
                const char *name;
                int64_t of_pair, of_short, of_long;
                unsigned late, offset;
        } cases[] = {{"none", 0, 0, 0, 0, 0},
                     {"each sample but a pair", 0, 8, 8, 0, 8},
                     {"each sample: it is in the stamp's cost", 8, 8, 8, 0, 0},
                     {"a pair reads less", -6, 0, 0, 0, 6},
                     {"it grows with the length", 0, 8, 16, 0, 0},
                     {"the length alone", 0, 1000, 2000, 0, 0},
                     {"too few", 0, -4, -4, 0, 0},
                     {"more than the loop is long", 0, 5000, 5000, 0, 0},
                     {"not each time: the first", 0, 8, 8, 1, 0},
                     {"not each time: the last", 0, 8, 8, 2 + 4 * TRIES, 0},
                     {"one more, once", 0, 0, 0, 3, 0}};
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
                of_pair = cases[i].of_pair;
                of_short = cases[i].of_short;
                of_long = cases[i].of_long;
                late = cases[i].late;
                unsigned offset = counter_offset(read_scripted);
                if (offset != cases[i].offset)
                        fail_msg("%s: %u taken off", cases[i].name, offset);
        }
}

int main(void)
{
        const struct CMUnitTest tests[] = {cmocka_unit_test(clocks),
                                           cmocka_unit_test(ticks_of_an_emulator),
                                           cmocka_unit_test(offsets)};
        return cmocka_run_group_tests(tests, NULL, NULL);
}
