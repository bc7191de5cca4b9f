/* counter.c - finds out what the time-stamp counter counts, by counting what is known. */
#include "cpu/counter.h"
#include "cpu/cpu.h"
#include "cpu/features.h"
#include "dev/timer.h"
#include "lib/string.h"

#define TRIES 4

/* The TSC's advance over `rounds` rounds of two instructions, and a constant number around. */
static __attribute__((noinline)) uint64_t loop(uint32_t rounds)
{
        uint64_t start = tsc_read();
        __asm__ volatile("1: dec %0; jnz 1b" : "+r"(rounds));
        return tsc_read() - start;
}

struct counter counter_try(bool emulated)
{
        struct counter counter = {"cycles", true, true, 0};
        loop(1000); /* an emulator translates on the first round */
        for (int i = 0; i < TRIES; i++) {
                uint64_t small = loop(1000), large = loop(3000);
                counter.exact &= large - small == 2 * (3000 - 1000);
                counter.readable &= small && large > small;
        }
        if (counter.exact) {
                counter.unit = "instructions";
                return counter;
        }
        if (emulated || !strcmp(cpu_identity.hypervisor, "TCGTCGTCGTCG"))
                counter.unit = "host ticks";
        counter.hertz = timer_tsc_hz();
        return counter;
}
