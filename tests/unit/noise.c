/* noise.c - samples that are left out where the counter is not exact (user/lib/noise.h), on an
 * invented clock: a system call takes `slow`, a reading `reading`, thrice that in a slow phase. */
#define tsc tsc_of_this_machine
#include "unit.h"
#include <stdarg.h>
#include "lib.h"
#undef tsc

static uint64_t clock_now;
static uint64_t phase_end;
static unsigned slow = 100, reading;
static bool core_counted;
static unsigned core_speed = 100; /* percent of the TSC's */
static struct toll_cycles core;

static uint64_t tsc(void)
{
        return clock_now += reading * (clock_now < phase_end ? 3 : 1);
}

long(toll_call)(long number, ...)
{
        if (number == NUMBER_toll_row) {
                va_list arguments;
                va_start(arguments, number);
                long index = va_arg(arguments, long);
                struct toll_cycles *to = (struct toll_cycles *)va_arg(arguments, long);
                va_end(arguments);
                assert_int_equal(index, TOLL_CYCLES);
                if (!core_counted)
                        return -2;
                core.core += (clock_now - core.reference) * core_speed / 100;
                core.reference = clock_now;
                *to = core;
                return 0;
        }
        assert_int_equal(number, NUMBER_getpid);
        clock_now += slow;
        return 1;
}

unsigned option_number(char **argv, const char *name, unsigned otherwise)
{
        if (!strcmp(name, "offset"))
                return otherwise;
        assert_string_equal(name, "exact");
        return argv[0] ? argv[0][0] == '1' : otherwise;
}

#include "../../user/lib/noise.c"

static char *inexact[] = {"0", NULL}, *exact_one[] = {"1", NULL};

static int start(void **state)
{
        noise = (struct noise){.exact = true, .longest = INT64_MAX};
        trying = faster = false;
        patience = PATIENCE;
        slow = 100;
        reading = 0;
        pulse = INT64_MAX;
        pulses = PULSES;
        core_counted = false;
        core = (struct toll_cycles){.reference = clock_now};
        core_speed = 100;
        return 0;
}

static void exact_takes_all(void **state)
{
        noise_init(exact_one);
        unsigned tries = 0;
        do {
                noise_try();
                tries++;
                assert_true(noise_keeps(10));
                slow = 900;
                assert_true(noise_keeps(1000000000));
        } while (noise_again(false));
        assert_int_equal(tries, 1);
        assert_int_equal(noise.disturbed + noise.repeated, 0);
        assert_null(noise.why);
}

/* Eight yardsticks of eight calls are 6,400: samples that much above the shortest are dropped. */
static void disturbed_samples_go_and_are_counted(void **state)
{
        noise_init(inexact);
        do {
                noise_try();
                assert_true(noise_keeps(500));
                assert_true(noise_keeps(100));
                assert_true(noise_keeps(100 + 6400));
                assert_false(noise_keeps(100 + 6401));
                assert_false(noise_keeps(1000000));
        } while (noise_again(true));
        assert_int_equal(noise.disturbed, 2 * 2);
        assert_null(noise.why);
        do
                noise_try();
        while (noise_again(true));
        assert_int_equal(noise.disturbed, 0);
}

/* A row that is mostly disturbed keeps its samples in the end, with a note. */
static void throwing_away_has_a_bound(void **state)
{
        noise_init(inexact);
        do {
                unsigned thrown = 0;
                noise_try();
                noise_keeps(1);
                while (!noise_keeps(1000000))
                        thrown++;
                assert_int_equal(thrown, NOISE_FREE);
                assert_non_null(noise.why);
        } while (noise_again(true));
        assert_int_equal(noise.disturbed, 2 * NOISE_FREE);
        assert_non_null(noise.why);
}

static void a_row_at_another_speed_is_taken_again(void **state)
{
        noise_init(inexact);
        noise_try();
        slow = 120;
        assert_true(noise_again(true));
        slow = 110; /* the same speed as 100 */
        noise_try();
        assert_false(noise_again(true));
        assert_int_equal(noise.repeated, 1);
        assert_null(noise.why);
}

static void repeating_has_a_bound(void **state)
{
        noise_init(inexact);
        slow = 200;
        unsigned tries = 0;
        do {
                noise_try();
                tries++;
        } while (noise_again(true));
        assert_in_range(tries, 2, NOISE_TRIES + 1);
        assert_string_equal(noise.why, "the machine ran at 50 % of its speed");
        slow = 100;
        do
                noise_try();
        while (noise_again(true));
        assert_null(noise.why);
        assert_int_equal(noise.repeated, 1);
}

static void who_is_not_content_tries_again(void **state)
{
        noise_init(inexact);
        unsigned tries = 0;
        do {
                noise_try();
                tries++;
        } while (noise_again(tries == 3));
        assert_int_equal(tries, 3);
        assert_int_equal(noise.repeated, 2);
}

/* The number of tries of a row whose medians are these; the last one is that of all others. */
static unsigned tries_of(const int64_t *medians, unsigned most)
{
        unsigned tries = 0;
        do {
                noise_try();
                for (unsigned i = 0; i < 3; i++)
                        assert_true(noise_keeps(medians[tries < most ? tries : most - 1] + i));
                tries++;
        } while (noise_again(true));
        return tries;
}

static void two_measurings_must_agree(void **state)
{
        noise_init(inexact);
        assert_int_equal(tries_of((int64_t[]){100, 109}, 2), 2);
        assert_null(noise.why);
        assert_int_equal(tries_of((int64_t[]){100, 115, 115}, 3), 3);
        assert_null(noise.why);
        assert_int_equal(tries_of((int64_t[]){100, 50, 50}, 3), 3);
        assert_int_equal(tries_of((int64_t[]){100, 120, 100, 120, 100}, 5), NOISE_TRIES + 1);
        assert_string_equal(noise.why, "two measurings of it, one after the other, differ");
        grain = 26; /* one step is allowed, two are not */
        assert_int_equal(tries_of((int64_t[]){100, 126}, 2), 2);
        assert_int_equal(tries_of((int64_t[]){100, 152, 152}, 3), 3);
}

/* A phase that begins within a row, and ends neither before nor after a yardstick. */
static unsigned slow_samples(uint64_t length)
{
        unsigned found = 0;
        reading = 100;
        noise_init(inexact);
        noise_try();
        phase_end = clock_now + length;
        for (unsigned i = 0; i < 10 * EVERY; i++) {
                bool now = clock_now < phase_end;
                clock_now += now ? 300 : 100;
                found += now;
                assert_true(noise_keeps(now ? 300 : 100));
        }
        phase_end = 0;
        return found;
}

static void samples_wait_for_the_end_of_a_slow_phase(void **state)
{
        assert_int_equal(slow_samples(100000), 1);
        assert_true(pulses > PULSES - 600);
        assert_int_equal(slow_samples(UINT64_MAX / 2), 10 * EVERY);
        assert_int_equal(pulses, 0);
}

/* Earlier rows may be wrong, and cannot be measured again. */
static void a_machine_that_becomes_faster_is_named(void **state)
{
        noise_init(inexact);
        slow = 50;
        do
                noise_try();
        while (noise_again(true));
        assert_string_equal(noise.why, "the machine has become faster since the rows before it");
}

/* A row of two parts: the clock's speed in the second one, and its number of SMIs. */
static const char *two_parts(unsigned speed, unsigned smis)
{
        core_counted = true;
        noise_init(inexact);
        assert_true(noise.counted);
        do {
                core_speed = 100;
                noise_try();
                noise_pass();
                clock_now += 50000;
                noise_pass();
                core_speed = speed;
                core.smis += smis;
                clock_now += 50000;
                toll_call(NUMBER_toll_row, TOLL_CYCLES, &core);
        } while (noise_again(true));
        assert_int_equal(noise.moved, noise.why != NULL);
        return noise.why;
}

static void the_core_keeps_step_or_a_control_has_moved(void **state)
{
        assert_null(two_parts(100, 0));
        assert_null(two_parts(102, 0));
        assert_true(noise.spent.core > noise.spent.reference);
        assert_non_null(two_parts(104, 0));
        assert_int_equal(noise.repeated, NOISE_TRIES);
        assert_non_null(two_parts(96, 0));
        assert_non_null(two_parts(100, 1));
        assert_int_equal(noise.spent.smis, 1);
}

static const char *within(int64_t low, int64_t high, int64_t p90)
{
        return noise_within(&(struct statistics){
                .min = 100, .low = low, .median = 200, .high = high, .p90 = p90});
}

/* A tenth of the median, or half of the minimum, and a quarter of a stamp. */
static void rows_that_are_too_wide_are_named(void **state)
{
        assert_null(within(0, 9999, 9999));
        noise.exact = false, noise.stamp = 20;
        assert_null(within(190, 215, 155));
        assert_string_equal(within(190, 216, 155), "its median's interval is wider than a tenth");
        assert_string_equal(within(190, 215, 156), "a tenth of its samples is half as long again");
        assert_true(noise_above(4, -2) && !noise_above(3, -2)); /* there is no tenth of it */
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup(exact_takes_all, start),
                cmocka_unit_test_setup(disturbed_samples_go_and_are_counted, start),
                cmocka_unit_test_setup(throwing_away_has_a_bound, start),
                cmocka_unit_test_setup(a_row_at_another_speed_is_taken_again, start),
                cmocka_unit_test_setup(repeating_has_a_bound, start),
                cmocka_unit_test_setup(who_is_not_content_tries_again, start),
                cmocka_unit_test_setup(two_measurings_must_agree, start),
                cmocka_unit_test_setup(samples_wait_for_the_end_of_a_slow_phase, start),
                cmocka_unit_test_setup(a_machine_that_becomes_faster_is_named, start),
                cmocka_unit_test_setup(the_core_keeps_step_or_a_control_has_moved, start),
                cmocka_unit_test_setup(rows_that_are_too_wide_are_named, start)};
        return cmocka_run_group_tests(tests, NULL, NULL);
}
