/* random.c - xorshift64* (S. Vigna, "An experimental exploration of Marsaglia's xorshift
 * generators, scrambled"), started by SplitMix64. */
#include "torture.h"
#include "layout.h"

struct random random_of(uint64_t seed, uint64_t index)
{
        uint64_t z = seed * 0xd1342543de82ef95 + (index + 1) * 0x9e3779b97f4a7c15;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
        z = (z ^ z >> 27) * 0x94d049bb133111eb;
        z ^= z >> 31;
        return (struct random){z ? z : 1};
}

static uint64_t next(struct random *random)
{
        random->state ^= random->state >> 12;
        random->state ^= random->state << 25;
        random->state ^= random->state >> 27;
        return random->state * 0x2545f4914f6cdd1d;
}

uint32_t random_next(struct random *random)
{
        return (uint32_t)(next(random) >> 32);
}

uint32_t random_below(struct random *random, uint32_t limit)
{
        return (uint32_t)((uint64_t)random_next(random) * limit >> 32);
}

uintptr_t random_word(struct random *random, uintptr_t own)
{
        static const uintptr_t words[] = {0,
                                          1,
                                          2,
                                          3,
                                          7,
                                          8,
                                          63,
                                          64,
                                          4095,
                                          4096,
                                          0x7fffffff,
                                          0x80000000,
                                          0xffffffff,
                                          (uintptr_t)-1,
                                          (uintptr_t)-2,
                                          (uintptr_t)-8,
                                          (uintptr_t)-4095,
                                          (uintptr_t)-4096,
                                          KERNEL_BASE,
                                          (uintptr_t)KERNEL_BASE - 1,
                                          (uintptr_t)KERNEL_BASE + 0x101000,
                                          WINDOW_BASE,
                                          GATE_PAGE,
                                          PROBE_PAGE,
                                          PROBE_ALIAS,
                                          (uintptr_t)1 << (8 * sizeof(uintptr_t) - 1),
                                          (uintptr_t)-1 >> 1,
                                          (uintptr_t)-1 >> 17,
                                          0x10,
                                          0x18,
                                          0x23,
                                          0x2b,
                                          0x33,
                                          0x3b,
                                          0x40,
                                          0x60,
                                          0x68,
                                          0x73,
                                          0x7b,
                                          GATE_SELECTOR,
                                          0x0f,
                                          0xfff8};
        switch (random_below(random, 8)) {
        case 0: return (uintptr_t)next(random);
        case 1: return random_next(random);
        case 2:
        case 3: return own + random_below(random, 4096);
        case 4: return own + 4096 - random_below(random, 16);
        default: return words[random_below(random, sizeof words / sizeof *words)];
        }
}
