/*
 * page.h - the time as a page of data that every program reads, and how it is read and written
 * without a lock (A. Arcangeli, "x86-64 vsyscalls", 2001, pages 8 and 12).
 *
 * The kernel is the only writer, programs only read. The kernel increases sequence number 1, makes
 * its changes, and increases number 2. A reader reads number 2, the data, then number 1: if they
 * match, the data are of one update, otherwise it tries again. It waits for nobody but a writer
 * that is half-way.
 *
 * A moment is 64 bits: seconds since the boot, and a fraction of 2^-32 s. Each update says what the
 * moment was at a count of the TSC; a reader adds what has passed since, times `multiplier`. With a
 * multiplier of 0 the moment stands still between two ticks of the timer.
 */
#ifndef TOLLGATE_CLOCK_PAGE_H
#define TOLLGATE_CLOCK_PAGE_H

#include <stdbool.h>
#include <stdint.h>
#include "clock/order.h"
#include "span.h" /* clock/vdso/32 or 64 */

#define NANOSECONDS 1000000000u
#define MICROSECONDS 1000000u

struct clock_page {
        uint32_t number_1;
        uint32_t tsc_low, tsc_high; /* at the update */
        uint32_t seconds, fraction; /* the moment then */
        uint32_t multiplier;
        uint32_t end_low, end_high; /* the TSC up to which `seconds` is right */
        uint32_t boot;              /* what date the boot was, in seconds since 1970 */
        uint32_t number_2;
};

/* The stores of an update in their order: here once, for the tick and for tests/unit/clock.c. */
#define CLOCK_STORES(STORE)                                                                        \
        STORE(number_1)                                                                            \
        STORE(tsc_low)                                                                             \
        STORE(tsc_high)                                                                            \
        STORE(seconds)                                                                             \
        STORE(fraction)                                                                            \
        STORE(multiplier)                                                                          \
        STORE(end_low)                                                                             \
        STORE(end_high)                                                                            \
        STORE(number_2)

#define CLOCK_WORD(word) (*(volatile uint32_t *)&(word))

static inline __attribute__((always_inline)) void clock_write(struct clock_page *page,
                                                              const struct clock_page *update)
{
#define STORE(word) CLOCK_WORD(page->word) = update->word;
        CLOCK_STORES(STORE)
#undef STORE
}

struct clock_reading {
        uint64_t since;  /* counts of the TSC since the update */
        uint64_t moment; /* of the update */
        uint32_t multiplier;
};

static inline __attribute__((always_inline)) struct clock_reading
clock_read(const struct clock_page *page, uint64_t (*tsc)(void))
{
        struct clock_reading r;
        uint32_t first, last;
        do {
                first = CLOCK_LOAD(page->CLOCK_READ_FIRST);
                r.since = CLOCK_LOAD(page->tsc_low) | (uint64_t)CLOCK_LOAD(page->tsc_high) << 32;
                r.moment = CLOCK_LOAD(page->fraction) | (uint64_t)CLOCK_LOAD(page->seconds) << 32;
                r.multiplier = CLOCK_LOAD(page->multiplier);
                r.since = tsc() - r.since;
                last = CLOCK_LOAD(page->CLOCK_READ_LAST);
        } while (CLOCK_TORN(first, last));
        return r;
}

static inline __attribute__((always_inline)) uint64_t clock_moment(struct clock_reading r)
{
        return r.moment + clock_span(r.since, r.multiplier);
}

/* Of a moment, or of a span: whole seconds, and the rest in so many parts of a second. */
static inline uint32_t moment_seconds(uint64_t moment)
{
        return (uint32_t)(moment >> 32);
}

static inline uint32_t moment_parts(uint64_t moment, uint32_t parts)
{
        return (uint32_t)((uint64_t)(uint32_t)moment * parts >> 32);
}

#endif
