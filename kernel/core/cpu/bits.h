/* bits.h - operations whose result is in the flags. In C a comparison would be added, which makes a
 * thread switch one instruction longer. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* *a ^= b; true if the result is not zero. */
static inline __attribute__((always_inline)) bool differs_from(uint32_t *a, uint32_t b)
{
        bool left;
        __asm__("xor %2, %1" : "=@ccnz"(left), "+r"(*a) : "rm"(b));
        return left;
}

/* a || b, in one branch. */
static inline __attribute__((always_inline)) bool any(bool a, bool b)
{
        bool one;
        __asm__("or %2, %1" : "=@ccnz"(one), "+q"(a) : "qm"(b));
        return one;
}
