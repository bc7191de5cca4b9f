/* span.h - converts TSC counts to a span in 2^-32 s, rounded down; both widths give the same bits.
 * Also 64-bit values in the page of the time: one store, one load. */
#pragma once
#include <stdint.h>

#define CLOCK_SHIFT 25 /* multiplier = 2^(32 + CLOCK_SHIFT) / Hz of a TSC from 34 MHz on */

#define CLOCK_INLINE static inline __attribute__((always_inline))

CLOCK_INLINE uint64_t clock_difference(uint64_t a, uint64_t b)
{
        return a - b;
}

CLOCK_INLINE uint64_t clock_span(uint64_t counts, uint32_t multiplier)
{
        return (uint64_t)((unsigned __int128)counts * multiplier >> CLOCK_SHIFT);
}

#define CLOCK_PAIR(STORE, pair) STORE(pair)
#define CLOCK_LOAD_PAIR(pair) CLOCK_LOAD(pair)
