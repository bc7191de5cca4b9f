/* counter.c - finds out what the time-stamp counter counts, by counting what is known. */
#include "cpu/counter.h"
#include "cpu/cpu.h"
#include "cpu/features.h"

#define TRIES 4

#define ROUND 4
#define DIVISOR 698769069u /* Marsaglia's multiply-with-carry backwards: the numbers stay long */

/* The TSC's advance over `rounds` rounds of ROUND instructions, and a constant number around. There
 * are two mixes of this length. In the dear one each division waits for the one before it, which
 * takes any processor several times as long as the cheap one: no clock reads the length of both. */
static __attribute__((noinline)) uint64_t cheap(uint32_t rounds)
{
        uint64_t start = tsc_read();
        __asm__ volatile("1: mov %0, %%eax; mov %0, %%edx; dec %0; jnz 1b"
                         : "+r"(rounds)
                         :
                         : "eax", "edx", "cc");
        return tsc_read() - start;
}

static __attribute__((noinline)) uint64_t dear(uint32_t rounds)
{
        uint32_t quotient = rounds, remainder = 1;
        uint64_t start = tsc_read();
        __asm__ volatile("1: div %3; div %3; dec %0; jnz 1b"
                         : "+r"(rounds), "+a"(quotient), "+d"(remainder)
                         : "r"(DIVISOR)
                         : "cc");
        return tsc_read() - start;
}

struct counter counter_try(bool emulated, bool insists)
{
        static uint64_t (*const mixes[])(uint32_t) = {cheap, dear};
        struct counter counter = {"cycles", true, true, false, 0};
        for (size_t mix = 0; mix < sizeof mixes / sizeof *mixes; mix++) {
                mixes[mix](1000); /* an emulator translates on the first round */
                for (int i = 0; i < TRIES; i++) {
                        uint64_t small = mixes[mix](1000), large = mixes[mix](3000);
                        counter.exact &= large - small == ROUND * (3000 - 1000);
                        counter.readable &= small && large > small;
                }
        }
        if (counter.exact) {
                counter.unit = "instructions";
                return counter;
        }
        counter.insisted = insists && (emulated || feature_has(FEATURE_HYPERVISOR));
        if ((emulated || feature_has(FEATURE_HYPERVISOR)) && !insists)
                counter.unit = "host ticks";
        return counter;
}
