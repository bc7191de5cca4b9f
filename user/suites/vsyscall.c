/*
 * vsyscall.c - what the time costs: by function, by its twin, by system call; and what a bad
 * pointer costs each. From the instruction that calls to the one behind it, devices quiet.
 */
#include "const.h"
#include "result.h"
#include "signals.h"
#include "vdso.h"

static int64_t ticks[SAMPLES_MAX];
static const void *functions[8];
static struct timespec good;

static void skip_store(int signal, struct siginfo *info, struct ucontext *uc)
{
        (void)signal, (void)info;
        uc->context.ip = (uintptr_t)guarded_back;
}

typedef long one(void *);
typedef long two(long, void *);

#define BY_ONE(n) ((one *)functions[n])
#define BY_TWO(n) ((two *)functions[n])
enum {
        GETTIMEOFDAY,
        TIME,
        CLOCK,
        GETTIMEOFDAY_TWIN,
        TIME_TWIN,
        CLOCK_TWIN,
        FUNCTIONS
};
static const char *const names[FUNCTIONS] = {"__vdso_gettimeofday",  "__vdso_time",
                                             "__vdso_clock_gettime", "__toll_gettimeofday",
                                             "__toll_time",          "__toll_clock_gettime"};

static void nothing(uintptr_t to)
{
        (void)to;
}

static void function_day(uintptr_t to)
{
        ((two *)functions[GETTIMEOFDAY])((long)to, NULL);
}

static void function_time(uintptr_t to)
{
        BY_ONE(TIME)((void *)to);
}

static void function_clock(uintptr_t to)
{
        BY_TWO(CLOCK)(CLOCK_MONOTONIC, (void *)to);
}

static void twin_day(uintptr_t to)
{
        ((two *)functions[GETTIMEOFDAY_TWIN])((long)to, NULL);
}

static void twin_clock(uintptr_t to)
{
        BY_TWO(CLOCK_TWIN)(CLOCK_MONOTONIC, (void *)to);
}

static void call_day(uintptr_t to)
{
        system_call(NUMBER_gettimeofday, to, 0);
}

static void call_time(uintptr_t to)
{
        system_call(NUMBER_time, to);
}

static void call_clock(uintptr_t to)
{
        system_call(NUMBER_clock_gettime, CLOCK_MONOTONIC, to);
}

static void fence(uintptr_t to)
{
        (void)to;
        __asm__ volatile("lfence; rdtsc" : : : "eax", "edx", "memory");
}

static void no_fence(uintptr_t to)
{
        (void)to;
        __asm__ volatile("rdtsc" : : : "eax", "edx", "memory");
}

static void function_day_guarded(uintptr_t to)
{
        guarded_call(function_day, to);
}

static const struct row {
        const char *id;
        void (*ask)(uintptr_t to);
        bool bad;
} rows[] = {
        {"gettimeofday/function", function_day, false},
        {"gettimeofday/twin", twin_day, false},
        {"gettimeofday/call", call_day, false},
        {"time/function", function_time, false},
        {"time/call", call_time, false},
        {"clock_gettime/function", function_clock, false},
        {"clock_gettime/twin", twin_clock, false},
        {"clock_gettime/call", call_clock, false},
        {"rdtsc/none", no_fence, false},
        {"rdtsc/lfence", fence, false},
        {"bad/call", call_day, true},
        {"bad/function", function_day_guarded, true},
        {"bad/twin", twin_day, true},
};

static __attribute__((noinline)) int64_t ticks_of(void (*ask)(uintptr_t), uintptr_t to)
{
        uint64_t start = tsc();
        ask(to);
        return (int64_t)(tsc() - start);
}

static void sample(const struct row *row, unsigned n, int64_t empty)
{
        uintptr_t to = row->bad ? NOWHERE : (uintptr_t)&good;
        toll_call(NUMBER_toll_quiet, 1);
        for (unsigned i = 0; i < n; i++)
                ticks[i] = ticks_of(row->ask, to) - empty;
        toll_call(NUMBER_toll_quiet, 0);
}

int main(int argc, char **argv, char **environment)
{
        (void)argc;
        const char *only = option(argv, "only");
        unsigned n = option_number(argv, "samples", 1000);
        const char *origin = !strncmp(argv[0], "/compat/", 8)    ? "compat"
                             : !strncmp(argv[0], "/trusted/", 9) ? "trusted"
                                                                 : "user";
        const struct row empty = {"", nothing, false};
        struct statistics s;
        n = n && n <= SAMPLES_MAX ? n : SAMPLES_MAX;
        for (unsigned i = 0; i < FUNCTIONS; i++)
                functions[i] = vdso_function(environment, names[i]);
        signal_act(SIGSEGV, skip_store, SA_SIGINFO, 0);
        sample(&empty, n, 0);
        int64_t least = median_of(ticks, n);
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
                char id[64];
                if (only && !strstr(rows[i].id, only))
                        continue;
                sample(&rows[i], 10, least); /* warm up */
                sample(&rows[i], n, least);
                statistics_of(&s, ticks, n);
                snprintf(id, sizeof id, "%s/%s", origin, rows[i].id);
                print_result("vsyscall", id, "vsyscall", &s);
                print("  %-36s %6lld\n", id, (long long)s.median);
        }
        return 0;
}
