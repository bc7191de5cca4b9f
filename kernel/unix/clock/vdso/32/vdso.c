/* vdso.c - the functions that 32-bit programs call (functions.h), and one for a libc with 64-bit
 * seconds. */
#define NO_FENCE ".byte 0x8d, 0x76, 0" /* lea esi, [esi + 0]: as long as LFENCE */

/* The system call, for cases that the page cannot answer. */
static inline __attribute__((always_inline)) long kernel_call(long number, long a, const void *b)
{
        __asm__ volatile("int $0x80" : "+a"(number) : "b"(a), "c"(b) : "memory");
        return number;
}

#include "clock/vdso/functions.h"

struct timespec64 {
        int64_t seconds, nanoseconds;
};

BODY int clock_gettime64_to(int clock, struct timespec64 *to, const bool checked)
{
        uint32_t *words = (uint32_t *)to;
        if (!is_here(clock))
                return (int)kernel_call(NUMBER_clock_gettime64, clock, to);
        uint64_t now = moment_of(clock);
        GIVE(words[0], moment_seconds(now));
        GIVE(words[1], 0);
        GIVE(words[2], moment_parts(now, NANOSECONDS));
        GIVE(words[3], 0);
        return 0;
fault:
        return -EFAULT;
}
FUNCTION(int, clock_gettime64, (int clock, struct timespec64 *to), clock, to)
