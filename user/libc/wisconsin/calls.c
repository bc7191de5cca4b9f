/* calls.c - each system call of SQLite and of this program, by name: count and total time; or,
 * instead of the time, the number of interrupt windows in them.
 *
 * The linker redirects them here by name (--wrap); stamps surround libc's own function. Their cost
 * is the same in every ring. */
#include "bench.h"
#include "calls.def"
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "toll.h"

#define TOLL_ROW 500 /* kernel/toll/toll.def */

enum {
#define CALL(name) OF_##name,
        CALLS
#undef CALL
                COUNT
};

static struct {
        const char *name;
        unsigned long count;
        uint64_t took;
} calls[] = {
#define CALL(name) {#name, 0, 0},
        CALLS
#undef CALL
};

static int of_windows;

static uint64_t windows(void)
{
        struct toll_counts counts = {0};
        syscall(TOLL_ROW, TOLL_COUNTS, &counts);
        return counts.windows;
}

static inline uint64_t stamp(void)
{
        return __builtin_expect(of_windows, 0) ? windows() : tsc();
}

/* The longest call takes six words; a 64-bit offset in a 32-bit program is two. 64-bit results are
 * returned in full. */
#define CALL(name)                                                                                 \
        long long __real_##name(long, long, long, long, long, long);                               \
        long long __wrap_##name(long, long, long, long, long, long);                               \
        long long __wrap_##name(long a, long b, long c, long d, long e, long f)                    \
        {                                                                                          \
                uint64_t start = stamp();                                                          \
                long long result = __real_##name(a, b, c, d, e, f);                                \
                calls[OF_##name].took += stamp() - start;                                          \
                calls[OF_##name].count++;                                                          \
                return result;                                                                     \
        }
CALLS
#undef CALL

void calls_begin(int count_windows)
{
        of_windows = count_windows;
        for (unsigned i = 0; i < COUNT; i++)
                calls[i].took = calls[i].count = 0;
}

void calls_say(const char *who)
{
        for (unsigned i = 0; i < COUNT; i++)
                if (calls[i].count)
                        printf("%s/%s %lu %llu\n", who, calls[i].name, calls[i].count,
                               (unsigned long long)calls[i].took);
}
