/*
 * clock.c - the page of the time (kernel/unix/clock/page.h): every interleaving of an update's
 * stores with a reader's loads, and the arithmetic.
 *
 * The reader is the kernel's own; CLOCK_LOAD lets the writer make some of its stores before each
 * load. A reader that looks at the numbers in the wrong order, at one number twice, or not at all,
 * is the same with its loads of the numbers led elsewhere.
 */
#include "unit.h"

static uint32_t load(const uint32_t *word);
static bool torn(uint32_t first, uint32_t last);
#define TOLLGATE_UNIX_CLOCK_ORDER_H /* in its place */
#define CLOCK_READ_FIRST number_2
#define CLOCK_READ_LAST number_1
#define CLOCK_LOAD(word) load(&(word))
#define CLOCK_TORN(first, last) torn(first, last)
#define TOLLGATE_UNIX_CLOCK_VDSO_64_SPAN_H /* 32 bits at a time, as i386 does: more places */
#include "clock/vdso/32/span.h"
#include "clock/page.h"

#define STORE_OF(word) offsetof(struct clock_page, word),
static const size_t stores[] = {CLOCK_STORES(STORE_OF)};
#define STORES (sizeof stores / sizeof *stores)
#define LOADS 7 /* of a reading that succeeds at once */
#define PLACES                                                                                     \
        2 * LOADS /* before which the writer may store: it begins, and ends, in two readings */

enum reader {
        IN_ORDER,
        SWAPPED,
        ONE_NUMBER,
        UNCHECKED
};

#define PAIR(high, low)                                                                            \
        {                                                                                          \
                (uint64_t)(high) << 32 | (low)                                                     \
        }
static const struct clock_page old_page = {7, 5, PAIR(1, 1000), PAIR(50, 0x80000000), PAIR(1, 9000),
                                           0, 7};
static const struct clock_page new_page = {8, 6, PAIR(2, 2000), PAIR(51, 0x10000000), PAIR(2, 9900),
                                           0, 8};
static struct clock_page page;
static enum reader reader;
static unsigned places[STORES]; /* the load before which each store is made, in order */
static unsigned loads, stored;

static void store_next(void)
{
        memcpy((char *)&page + stores[stored], (const char *)&new_page + stores[stored],
               sizeof(uint32_t));
        stored++;
}

static uint32_t load(const uint32_t *word)
{
        while (stored < STORES && places[stored] <= loads)
                store_next();
        loads++;
        if (reader == SWAPPED && word == &page.number_1)
                return page.number_2;
        if ((reader == SWAPPED || reader == ONE_NUMBER) && word == &page.number_2)
                return page.number_1;
        return *word;
}

static bool torn(uint32_t first, uint32_t last)
{
        assert_true(loads < 100); /* the writer has long ended */
        return reader != UNCHECKED && first != last;
}

static uint64_t no_tsc(void)
{
        return 0;
}

static bool is_whole(struct clock_reading r)
{
        const struct clock_page *const pages[] = {&old_page, &new_page};
        for (int i = 0; i < 2; i++) {
                const struct clock_page *p = pages[i];
                if (r.since == 0 - p->tsc && r.moment == p->moment && r.multiplier == p->multiplier)
                        return true;
        }
        return false;
}

/* Counts the torn readings over all places of the stores from `from` on. */
static unsigned torn_readings(unsigned from, unsigned least)
{
        unsigned found = 0;
        if (from == STORES) {
                page = old_page;
                loads = stored = 0;
                return !is_whole(clock_read(&page, no_tsc));
        }
        for (unsigned place = least; place <= PLACES; place++) {
                places[from] = place;
                found += torn_readings(from + 1, place);
        }
        return found;
}

static void a_reading_is_of_one_update(void **state)
{
        (void)state;
        reader = IN_ORDER;
        assert_int_equal(torn_readings(0, 0), 0);
        assert_int_equal(loads, LOADS); /* in the last one nothing was stored meanwhile */
}

static void another_order_or_no_check_is_found(void **state)
{
        (void)state;
        for (reader = SWAPPED; reader <= UNCHECKED; reader++) {
                unsigned found = torn_readings(0, 0);
                print_message("reader %d: %u torn readings\n", reader, found);
                assert_true(found > 0);
        }
}

/* 64-bit differences: with no tick for years. */
static void a_span_is_exact(void **state)
{
        (void)state;
        for (int i = 0; i < 100000; i++) {
                uint64_t counts = chance() >> (8 + chance_below(50));
                uint32_t multiplier = (uint32_t)chance();
                uint64_t wide = (uint64_t)((unsigned __int128)counts * multiplier >> CLOCK_SHIFT);
                assert_int_equal(clock_span(counts, multiplier), wide);
                assert_int_equal(clock_difference(wide, counts), wide - counts);
        }
}

static void a_moment_is_rounded_down(void **state)
{
        (void)state;
        assert_int_equal(moment_seconds(0x5ffffffffu), 5);
        assert_int_equal(moment_parts(0x5ffffffffu, NANOSECONDS), NANOSECONDS - 1);
        assert_int_equal(moment_parts(0x580000000u, MICROSECONDS), MICROSECONDS / 2);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(a_reading_is_of_one_update),
                cmocka_unit_test(another_order_or_no_check_is_found),
                cmocka_unit_test(a_span_is_exact),
                cmocka_unit_test(a_moment_is_rounded_down),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
