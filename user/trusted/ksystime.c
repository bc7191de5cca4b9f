/* ksystime.c - an empty read of the standard input from kernel space, like Rubini's module: best of
 * N, no fence, interrupts on. By INT 80h with the address limit lifted, by sys_read(), by the
 * file's read function, and by a saved pointer to it. (A. Rubini, "Kernel System Calls", Linux
 * Magazine, 2000) */
#include "file/ladder.h"
#include "kernel.h"
#include "linux.h"
#include "result.h"

KERNEL_FUNCTION(long, ladder_read, const struct ladder *ask);
KERNEL_FUNCTION(uintptr_t, limit_get, void);
KERNEL_FUNCTION(void, limit_set, uintptr_t limit);
KERNEL_DATA(uint8_t, ladder_buffer);

static uint32_t stamps[SAMPLES_MAX];
static int64_t ticks[SAMPLES_MAX];

static int64_t best(const char *what, unsigned n, int64_t pair)
{
        static struct statistics s;
        char id[40];
        for (unsigned i = 0; i < n; i++)
                ticks[i] = (int64_t)stamps[i] - pair;
        statistics_of(&s, ticks, n);
        snprintf(id, sizeof id, "trusted/ksystime/%s", what);
        print_result("ksystime", id, "ksystime", &s);
        print("ksystime: %lld - %s\n", (long long)s.min, what);
        return s.min;
}

int main(int argc, char **argv)
{
        static const char *const rungs[LADDER_RUNGS] = {"tsc", "sys_read()", "f_op->read()",
                                                        "cached_f_op_read()"};
        unsigned n = option_number(argv, "samples", 1000);
        n = n && n <= SAMPLES_MAX ? n : SAMPLES_MAX;
        struct ladder ask = {0, LADDER_NOTHING, 0, n, stamps};
        kernel_ladder_read(&ask);
        int64_t tsc_pair = best(rungs[0], n, 0);

        uintptr_t limit = kernel_limit_get();
        kernel_limit_set(UINTPTR_MAX);
        for (unsigned i = 0; i < n; i++) {
                uint64_t start = tsc();
                toll_call(NUMBER_read, 0, kernel_ladder_buffer, 0);
                stamps[i] = (uint32_t)(tsc() - start);
        }
        kernel_limit_set(limit);
        best("read()", n, tsc_pair);

        for (ask.rung = LADDER_SYS_READ; ask.rung < LADDER_RUNGS; ask.rung++) {
                long result = kernel_ladder_read(&ask);
                if (result)
                        check(false, rungs[ask.rung], "%ld", result);
                best(rungs[ask.rung], n, tsc_pair);
        }
        return check_status();
}
