/* span.h - converts TSC counts to a span in 2^-32 s, rounded down; both widths give the same bits.
 * Also 64-bit values in the page of the time: two stores, two loads. */
#pragma once
#include <stdint.h>

#define CLOCK_SHIFT 25 /* multiplier = 2^(32 + CLOCK_SHIFT) / Hz of a TSC from 34 MHz on */
#define CLOCK_INLINE static inline __attribute__((always_inline))

/* Computed in two halves, because gcc would keep it in memory. */
CLOCK_INLINE uint64_t clock_difference(uint64_t a, uint64_t b)
{
        uint32_t high = (uint32_t)(a >> 32) - (uint32_t)(b >> 32) - ((uint32_t)a < (uint32_t)b);
        return ((uint32_t)a - (uint32_t)b) | (uint64_t)high << 32;
}

CLOCK_INLINE uint64_t clock_span(uint64_t counts, uint32_t multiplier)
{
        uint64_t span = (uint64_t)(uint32_t)counts * multiplier >> CLOCK_SHIFT;
        uint32_t high = (uint32_t)(counts >> 32);
        if (__builtin_expect(high != 0, 0)) /* no tick for several seconds */
                span += (uint64_t)high * multiplier << (32 - CLOCK_SHIFT);
        return span;
}

#define CLOCK_PAIR(STORE, pair) STORE(pair##_low) STORE(pair##_high)
#define CLOCK_LOAD_PAIR(pair) (CLOCK_LOAD(pair##_low) | (uint64_t)CLOCK_LOAD(pair##_high) << 32)
