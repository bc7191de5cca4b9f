/* page.h - the time as a page of data that every program reads, and how it is read and written
 * without a lock (A. Arcangeli, "x86-64 vsyscalls", 2001, pages 8 and 12).
 *
 * The kernel is the only writer, programs only read. The kernel increases sequence number 1, makes
 * its changes, and increases number 2. A reader reads number 2, the data, then number 1: if they
 * match, the data are of one update, otherwise it tries again. It waits only for a writer in the
 * middle of an update.
 *
 * A moment is 64 bits: seconds since 1970, and a fraction of 2^-32 s. Each update gives the moment
 * at a count of the TSC; a reader adds the counts since then, times `multiplier`. With a multiplier
 * of 0 the moment does not change between ticks. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "clock/order.h"
#include "span.h" /* clock/vdso/32 or 64 */

#define NANOSECONDS 1000000000u
#define MICROSECONDS 1000000u

/* 64 bits, on a processor that loads and stores 32 */
#define CLOCK_PAIR_OF(name)                                                                        \
        union {                                                                                    \
                uint64_t name;                                                                     \
                struct {                                                                           \
                        uint32_t name##_low, name##_high;                                          \
                };                                                                                 \
        }

struct clock_page {
        uint32_t number_1;
        uint32_t multiplier;
        CLOCK_PAIR_OF(tsc);    /* count at the update */
        CLOCK_PAIR_OF(moment); /* moment of the update: fraction and seconds */
        CLOCK_PAIR_OF(end);    /* TSC count up to which these seconds are valid */
        uint32_t boot;         /* the date of the boot, in seconds since 1970 */
        uint32_t number_2;
};

/* The stores of an update in order, shared by the tick and all tests. SELDOM: the stores that
 * change each second. */
#define CLOCK_STORES_OF(STORE, SELDOM)                                                             \
        STORE(number_1)                                                                            \
        SELDOM(multiplier)                                                                         \
        CLOCK_PAIR(STORE, tsc)                                                                     \
        CLOCK_PAIR(STORE, moment)                                                                  \
        CLOCK_PAIR(SELDOM, end)                                                                    \
        STORE(number_2)
#define CLOCK_STORES(STORE) CLOCK_STORES_OF(STORE, STORE)

static inline __attribute__((always_inline)) void
clock_write(struct clock_page *page, const struct clock_page *update, const bool all)
{
#define STORE(word) *(volatile __typeof__(page->word) *)&page->word = update->word;
#define SELDOM(word)                                                                               \
        if (all)                                                                                   \
        STORE(word)
        CLOCK_STORES_OF(STORE, SELDOM)
#undef SELDOM
#undef STORE
}

struct clock_reading {
        uint64_t since;  /* TSC counts since the update */
        uint64_t moment; /* moment of the update */
        uint32_t multiplier;
};

static inline __attribute__((always_inline)) struct clock_reading
clock_read(const struct clock_page *page, uint64_t (*tsc)(void))
{
        struct clock_reading r;
        uint32_t first, last;
        do {
                first = CLOCK_LOAD(page->CLOCK_READ_FIRST);
                r.since = CLOCK_LOAD_PAIR(page->tsc);
                r.since = clock_difference(tsc(), r.since);
                r.multiplier = CLOCK_LOAD(page->multiplier);
                r.moment = CLOCK_LOAD_PAIR(page->moment);
                last = CLOCK_LOAD(page->CLOCK_READ_LAST);
        } while (CLOCK_TORN(first, last));
        return r;
}

static inline __attribute__((always_inline)) uint64_t clock_moment(struct clock_reading r)
{
        return r.moment + clock_span(r.since, r.multiplier);
}

/* The parts of a moment or span: whole seconds, and the fraction in units of 1/`parts` s. */
static inline uint32_t moment_seconds(uint64_t moment)
{
        return (uint32_t)(moment >> 32);
}

static inline uint32_t moment_parts(uint64_t moment, uint32_t parts)
{
        return (uint32_t)((uint64_t)(uint32_t)moment * parts >> 32);
}
