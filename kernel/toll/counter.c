/* counter.c - determines the unit of the time-stamp counter, by loops of known length. */
#include "toll/counter.h"
#include "cpu/cpu.h"
#include "cpu/features.h"

#define TRIES 4

#define ROUND 4
#define DIVISOR 698769069u /* Marsaglia's multiply-with-carry backwards: numbers stay large */

/* The TSC's advance over `rounds` rounds of ROUND instructions, plus a constant. There are two
 * mixes of this length. In the slow one each division waits for the previous one, which takes any
 * processor several times as long. So no clock can read the right length for both. */
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
        struct counter counter = {"cycles", true, true, false, 0, 0};
        for (size_t mix = 0; mix < sizeof mixes / sizeof *mixes; mix++) {
                mixes[mix](1000); /* warm-up: an emulator translates in the first round */
                uint64_t least = UINT64_MAX, least_large = UINT64_MAX;
                for (int i = 0; i < TRIES; i++) {
                        uint64_t small = mixes[mix](1000), large = mixes[mix](3000);
                        counter.exact &= large - small == ROUND * (3000 - 1000);
                        least = small < least ? small : least;
                        least_large = large < least_large ? large : least_large;
                }
                /* a host that takes the processor away makes a loop longer, never shorter */
                counter.readable &= least && least_large > least;
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

/* A reading minus the length of the loop. */
static int64_t beyond(int64_t (*read)(unsigned), unsigned rounds)
{
        return read(rounds) - read(0) - (1 + 2 * (int64_t)rounds);
}

unsigned counter_offset(int64_t (*read)(unsigned rounds))
{
        int64_t offset = beyond(read, LOOP_ROUNDS);
        bool constant = offset > 0 && offset < LOOP_ROUNDS;
        for (int i = 0; i < TRIES; i++)
                constant &= beyond(read, LOOP_ROUNDS) == offset &&
                            beyond(read, 2 * LOOP_ROUNDS) == offset;
        return constant ? (unsigned)offset : 0;
}
