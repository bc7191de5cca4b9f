/* statistics.c - order statistics of a set of samples. */
#include "statistics.h"
#include "lib/printf.h"

/* Shell's method with Ciura's gaps: short, and best on samples that are nearly all equal. */
static void sort(int64_t *v, unsigned n)
{
        static const unsigned gaps[] = {3548, 1577, 701, 301, 132, 57, 23, 10, 4, 1};
        for (unsigned g = 0; g < sizeof gaps / sizeof *gaps; g++) {
                for (unsigned i = gaps[g]; i < n; i++) {
                        int64_t value = v[i];
                        unsigned at = i;
                        for (; at >= gaps[g] && v[at - gaps[g]] > value; at -= gaps[g])
                                v[at] = v[at - gaps[g]];
                        v[at] = value;
                }
        }
}

static int64_t rank(const int64_t *sorted, unsigned n, unsigned percent)
{
        unsigned place = (n * percent + 99) / 100;
        return sorted[place ? place - 1 : 0];
}

int64_t median_of(int64_t *samples, unsigned n)
{
        sort(samples, n);
        return rank(samples, n, 50);
}

int64_t divide_signed(int64_t value, unsigned divisor)
{
        uint64_t magnitude = value < 0 ? -(uint64_t)value : (uint64_t)value;
        divide64(&magnitude, divisor);
        return value < 0 ? -(int64_t)magnitude : (int64_t)magnitude;
}

/* Bins of `width`, a power of two. A result above HISTOGRAM_BINS = too few bins. */
static unsigned fill_bins(struct statistics *s, const int64_t *sorted, uint64_t width)
{
        unsigned bins = 0;
        int64_t edge = 0;
        for (unsigned i = 0; i < s->n; i++) {
                if (!bins || (uint64_t)(sorted[i] - edge) >= width) {
                        uint64_t distance = (uint64_t)(sorted[i] - s->min);
                        if (bins == HISTOGRAM_BINS)
                                return bins + 1;
                        edge = sorted[i] - (int64_t)(distance & (width - 1));
                        s->histogram[bins].value = edge;
                        s->histogram[bins++].count = 0;
                }
                s->histogram[bins - 1].count++;
        }
        return bins;
}

/* The number of least and greatest block medians that are excluded, for 95 %. */
static unsigned left_out(unsigned blocks)
{
        unsigned root = 0;
        while ((root + 1) * (root + 1) <= blocks)
                root++;
        return blocks > 2 * root + 2 ? (blocks - 2 * root) / 2 - 1 : 0;
}

static void find_interval(struct statistics *s, int64_t *samples, unsigned n)
{
        int64_t medians[BLOCKS];
        unsigned blocks = n < BLOCKS ? n : BLOCKS, out = left_out(blocks);
        for (unsigned i = 0; i < blocks; i++)
                medians[i] =
                        median_of(samples + n * i / blocks, n * (i + 1) / blocks - n * i / blocks);
        sort(medians, blocks);
        s->low = medians[out];
        s->high = medians[blocks - 1 - out];
}

void statistics_of(struct statistics *s, int64_t *samples, unsigned n)
{
        struct statistics interval;
        int64_t sum = 0;
        find_interval(&interval, samples, n);
        sort(samples, n);
        for (unsigned i = 0; i < n; i++)
                sum += samples[i];
        *s = (struct statistics){.n = n,
                                 .min = samples[0],
                                 .median = rank(samples, n, 50),
                                 .p90 = rank(samples, n, 90),
                                 .p99 = rank(samples, n, 99),
                                 .max = samples[n - 1],
                                 .mean = divide_signed(sum * 100, n)};
        s->low = interval.low < s->median ? interval.low : s->median;
        s->high = interval.high > s->median ? interval.high : s->median;
        uint64_t width = 1;
        while ((s->bins = fill_bins(s, samples, width)) > HISTOGRAM_BINS)
                width *= 2;
}

void statistics_json(const struct statistics *s, struct json *json)
{
        json_number(json, "n", s->n); /* samples */
        json_number(json, "min", s->min);
        json_number(json, "median", s->median);
        json_number(json, "p90", s->p90);
        json_number(json, "p99", s->p99);
        json_number(json, "max", s->max);
        json_hundredths(json, "mean", s->mean);
        json_begin(json, "histogram", '[');
        for (unsigned i = 0; i < s->bins; i++) {
                json_begin(json, NULL, '[');
                json_number(json, NULL, s->histogram[i].value);
                json_number(json, NULL, s->histogram[i].count);
                json_end(json, ']');
        }
        json_end(json, ']');
}
