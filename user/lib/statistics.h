/* statistics.h - order statistics of a set of samples, and the keys of a result record. */
#pragma once
#include "lib/json.h"

#define HISTOGRAM_BINS 64
#define SAMPLES_MAX 20000
#define BLOCKS 20 /* blocks of samples, in the order in which they were taken */

/* All in the counter's unit; mean in hundredths. A percentile p is the smallest sample that at
 * least p % of the samples do not exceed (nearest rank). */
struct statistics {
        unsigned n;
        int64_t min, median, p90, p99, max, mean;
        int64_t low, high; /* the median's interval: see statistics_of() */
        unsigned bins;
        struct {
                int64_t value; /* the bin's lower edge */
                unsigned count;
        } histogram[HISTOGRAM_BINS]; /* occupied bins of equal width: 1 if possible */
};

/* Sorts `samples`, which are in the order in which they were taken. n is 1 or more; 100 times their
 * sum fits in 64 bits. The interval contains the median with 95 % probability. Each of BLOCKS
 * blocks of samples has a median, and the 6th and 15th of these are the bounds (order statistics of
 * the binomial distribution; fewer blocks and wider bounds for fewer samples). If the machine
 * changed during the row the interval is wide, unlike many samples of one moment. */
void statistics_of(struct statistics *s, int64_t *samples, unsigned n);
int64_t divide_signed(int64_t value, unsigned divisor); /* towards 0 */
int64_t median_of(int64_t *samples, unsigned n);        /* sorts them */

/* Writes n, min, median, p90, p99, max, mean, histogram. */
void statistics_json(const struct statistics *s, struct json *json);
