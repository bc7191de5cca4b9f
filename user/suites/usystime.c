/* usystime.c - times a system call from user space like Rubini's usystime: no fence, interrupts on,
 * best of N, minus the cost of the RDTSC pair. His call is an empty read of the standard input, so
 * `usystime < FILE` chooses the kind of file; also getpid. (A. Rubini, "Kernel System Calls", Linux
 * Magazine, 2000) */
#include "linux.h"
#include "noise.h"
#include "progress.h"
#include "result.h"

static int64_t ticks[SAMPLES_MAX];

static const char *origin;

static const char *id_of(const char *what)
{
        static char id[40];
        snprintf(id, sizeof id, "%s/usystime/%s", origin, what);
        return id;
}

static void record(const char *what, const struct statistics *s)
{
        print_result("usystime", id_of(what), "usystime", s);
}

int main(int argc, char **argv)
{
        struct statistics pair, call, empty;
        char buffer[4];
        unsigned n = option_number(argv, "samples", 1000);
        n = n && n <= SAMPLES_MAX ? n : SAMPLES_MAX;

        origin = program_origin(argv[0]);
        noise_init(argv);
        progress_begin(argv, "usystime", 3);
        progress_row(id_of("rdtsc"));
        NOISE_TAKE(ticks, n, );
        statistics_of(&pair, ticks, n);
        record("rdtsc", &pair);
        progress_row(id_of("getpid"));
        NOISE_TAKE(ticks, n, system_call(NUMBER_getpid));
        for (unsigned i = 0; i < n; i++)
                ticks[i] -= pair.min;
        statistics_of(&call, ticks, n);
        record("getpid", &call);
        progress_row(id_of("read"));
        NOISE_TAKE(ticks, n, read(0, buffer, 0));
        for (unsigned i = 0; i < n; i++)
                ticks[i] -= pair.min;
        statistics_of(&empty, ticks, n);
        record("read", &empty);
        print("rdtsc: %lld ticks\ngetpid(): %lld ticks\nread(): %lld ticks\n", (long long)pair.min,
              (long long)call.min, (long long)empty.min);
        return check_status();
}
