/* statistics.c - order statistics (user/lib/statistics.h), against a reference that only follows
 * the definitions: it counts, with 128 bits. */
#include "unit.h"
#include "statistics.h"

#define MOST 4000

/* Nearest rank: the smallest sample that at least `percent` % of the samples do not exceed. */
static int64_t percentile(const int64_t *samples, unsigned n, unsigned percent)
{
        int64_t best = INT64_MAX;
        for (unsigned i = 0; i < n; i++) {
                unsigned below = 0;
                for (unsigned j = 0; j < n; j++)
                        below += samples[j] <= samples[i];
                if (below * 100 >= percent * n && samples[i] < best)
                        best = samples[i];
        }
        return best;
}

static void check_histogram(const struct statistics *s, const int64_t *sorted)
{
        unsigned bins, total = 0;
        unsigned __int128 width = 0;
        struct {
                __int128 value;
                unsigned count;
        } expected[HISTOGRAM_BINS + 1];

        /* The smallest power of two with few enough occupied bins, counted from the minimum. */
        do {
                width = width ? 2 * width : 1;
                bins = 0;
                for (unsigned i = 0; i < s->n && bins <= HISTOGRAM_BINS; i++) {
                        __int128 index = ((__int128)sorted[i] - sorted[0]) / (__int128)width;
                        __int128 edge = sorted[0] + index * (__int128)width;
                        if (!bins || expected[bins - 1].value != edge) {
                                expected[bins].value = edge;
                                expected[bins++].count = 0;
                        }
                        expected[bins - 1].count++;
                }
        } while (bins > HISTOGRAM_BINS);

        assert_in_range(s->bins, 1, HISTOGRAM_BINS);
        assert_int_equal(s->bins, bins);
        for (unsigned i = 0; i < bins; i++) {
                assert_true(s->histogram[i].value == expected[i].value);
                assert_int_equal(s->histogram[i].count, expected[i].count);
                assert_true(s->histogram[i].count > 0);
                total += s->histogram[i].count;
        }
        assert_int_equal(total, s->n);
}

static int by_value(const void *a, const void *b)
{
        int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
        return (x > y) - (x < y);
}

static void check(const int64_t *samples, unsigned n)
{
        struct statistics s;
        __int128 sum = 0;
        int64_t *sorted = exact_copy(samples, n * sizeof *samples);
        int64_t *copy = exact_copy(samples, n * sizeof *samples);
        qsort(sorted, n, sizeof *sorted, by_value);
        for (unsigned i = 0; i < n; i++)
                sum += samples[i];

        statistics_of(&s, copy, n);
        assert_memory_equal(copy, sorted, n * sizeof *samples);
        assert_int_equal(s.n, n);
        assert_true(s.min == sorted[0]);
        assert_true(s.max == sorted[n - 1]);
        assert_true(s.mean == (int64_t)(sum * 100 / n)); /* hundredths, towards zero */
        if (n <= 300) {
                assert_true(s.median == percentile(sorted, n, 50));
                assert_true(s.p90 == percentile(sorted, n, 90));
                assert_true(s.p99 == percentile(sorted, n, 99));
        }
        check_histogram(&s, sorted);

        memcpy(copy, samples, n * sizeof *samples);
        assert_true(median_of(copy, n) == s.median);
        free(sorted);
        free(copy);
}

static void one_value(void **state)
{
        static const int64_t values[] = {0, 1, -1, 323, -(1ll << 40), 1ll << 40};
        for (unsigned i = 0; i < sizeof values / sizeof *values; i++) {
                struct statistics s;
                int64_t sample = values[i];
                check(&sample, 1);
                statistics_of(&s, &sample, 1);
                assert_true(s.min == values[i] && s.p99 == values[i] && s.max == values[i]);
                assert_true(s.mean == values[i] * 100);
                assert_int_equal(s.bins, 1);
        }
}

static void equal_values(void **state)
{
        int64_t samples[1000];
        struct statistics s;
        for (unsigned i = 0; i < 1000; i++)
                samples[i] = 56;
        check(samples, 1000);
        statistics_of(&s, samples, 1000);
        assert_int_equal(s.bins, 1);
        assert_int_equal(s.histogram[0].count, 1000);
}

/* Calculated by hand, so that reference and code cannot have the same error: 1 to 10, unsorted. */
static void nearest_rank(void **state)
{
        int64_t samples[] = {7, 1, 10, 3, 9, 5, 2, 8, 6, 4};
        struct statistics s;
        check(samples, 10);
        statistics_of(&s, samples, 10);
        assert_true(s.median == 5 && s.p90 == 9 && s.p99 == 10 && s.mean == 550);
        statistics_of(&s, samples, 9);
        assert_true(s.median == 5 && s.p90 == 9 && s.p99 == 9 && s.mean == 500);
        statistics_of(&s, samples, 2);
        assert_true(s.median == 1 && s.p90 == 2 && s.p99 == 2 && s.mean == 150);
}

static void negative_mean(void **state)
{
        int64_t samples[] = {-1, 0, 0};
        struct statistics s;
        check(samples, 3);
        statistics_of(&s, samples, 3);
        assert_true(s.mean == -33);
        int64_t both[] = {-7, 7, -7};
        statistics_of(&s, both, 3);
        assert_true(s.mean == -233);
}

static void signed_division(void **state)
{
        for (unsigned i = 0; i < 10000; i++) {
                int64_t value = (int64_t)chance() >> chance_below(64);
                unsigned divisor = 2 + (unsigned)chance_below(1u << 31);
                assert_true(divide_signed(value, divisor) == value / (int64_t)divisor);
        }
        assert_true(divide_signed(-7, 2) == -3);
        assert_true(divide_signed(INT64_MIN, 2) == INT64_MIN / 2);
        assert_true(divide_signed(-INT64_MAX, 1) == -INT64_MAX);
}

/* 64 different values fit one by one; with the 65th the bins grow. */
static void bin_limit(void **state)
{
        int64_t samples[HISTOGRAM_BINS + 1];
        struct statistics s;
        for (int i = 0; i <= HISTOGRAM_BINS; i++)
                samples[i] = 1000 * i;
        check(samples, HISTOGRAM_BINS);
        check(samples, HISTOGRAM_BINS + 1);
        statistics_of(&s, samples, HISTOGRAM_BINS);
        assert_int_equal(s.bins, HISTOGRAM_BINS);
        assert_true(s.histogram[1].value == 1000); /* width 1, however far apart */
}

static void random_samples(void **state)
{
        static int64_t samples[MOST];
        for (unsigned trial = 0; trial < 400; trial++) {
                unsigned n = 1 + (unsigned)chance_below(trial % 20 ? 200 : MOST);
                unsigned spread = (unsigned)chance_below(42), grid = (unsigned)chance_below(6);
                int64_t centre = (int64_t)chance_below(2000) - 1000;
                for (unsigned i = 0; i < n; i++) {
                        int64_t distance = (int64_t)(chance() & ((1ull << spread) - 1)) << grid / 2;
                        samples[i] = centre + (chance() % 2 ? distance : -distance);
                }
                check(samples, n);
        }
}

static void most_samples(void **state)
{
        static int64_t samples[SAMPLES_MAX];
        for (unsigned i = 0; i < SAMPLES_MAX; i++)
                samples[i] = 1000 + (int64_t)(chance() % 97 * (chance() % 50 == 0 ? 1000 : 1));
        check(samples, SAMPLES_MAX);
}

/* A machine that slept, or a counter that was set: bins of 2^32 and more. */
static void far_apart(void **state)
{
        for (unsigned bit = 30; bit < 48; bit++) {
                int64_t samples[200];
                for (int i = 0; i < 200; i++)
                        samples[i] = (int64_t)(chance() >> (63 - bit)) - (1ll << bit);
                check(samples, 200);
        }
}

/* Blocks with falling medians. So many are left out at each end that the others, by the binomial
 * distribution, hold the median in 95 of 100 cases. A block has one to three samples. */
static void medians_interval(void **state)
{
        static const unsigned out[][2] = {{1, 0}, {6, 0}, {10, 1}, {16, 3}, {BLOCKS, 5}};
        for (unsigned row = 0; row < sizeof out / sizeof *out; row++)
                for (unsigned times = 1; times < (out[row][0] < BLOCKS ? 2 : 4); times++) {
                        unsigned blocks = out[row][0], last = blocks - 1;
                        int64_t samples[3 * BLOCKS];
                        struct statistics s;
                        for (unsigned i = 0; i < blocks * times; i++)
                                samples[i] = 100 * (last - i / times) + i % times;
                        statistics_of(&s, samples, blocks * times);
                        assert_int_equal(s.low, 100 * out[row][1] + times / 3);
                        assert_int_equal(s.high, 100 * (last - out[row][1]) + times / 3);
                }
}

static void record_keys(void **state)
{
        int64_t samples[] = {4, 2, 2, -1, 2, 9, 2, 2, 2, 2};
        char line[512];
        struct statistics s;
        struct json json;
        statistics_of(&s, samples, 10);
        json_open(&json, line, sizeof line, "result");
        statistics_json(&s, &json);
        assert_true(json_record(&json));
        *strrchr(line, ' ') = 0;
        assert_string_equal(line, "@{\"v\":1,\"type\":\"result\",\"n\":10,\"min\":-1,\"median\":2,"
                                  "\"p90\":4,\"p99\":9,\"max\":9,\"mean\":2.60,"
                                  "\"histogram\":[[-1,1],[2,7],[4,1],[9,1]]}");
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(one_value),       cmocka_unit_test(equal_values),
                cmocka_unit_test(nearest_rank),    cmocka_unit_test(negative_mean),
                cmocka_unit_test(signed_division), cmocka_unit_test(bin_limit),
                cmocka_unit_test(random_samples),  cmocka_unit_test(most_samples),
                cmocka_unit_test(far_apart),       cmocka_unit_test(record_keys),
                cmocka_unit_test(medians_interval)};
        return cmocka_run_group_tests(tests, NULL, NULL);
}
