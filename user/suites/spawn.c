/*
 * spawn.c - what a process costs, from fork() to the return of wait4(): one that ends at once, and
 * one that executes this program, which then ends at once. It makes no call of Tollgate's, so
 * `tollgate linux` runs the same program on Linux.
 */
#include "linux.h"
#include "noise.h"
#include "progress.h"
#include "result.h"

#define MOST 200 /* samples: one is long */
#define WARM_UP 10
#define END "end" /* the argument of a program that has nothing to do but to end */

static int64_t ticks[MOST];
static unsigned samples, failed;
static char *self;

static void run_nothing(void)
{
        exit_group(0);
}

static void run_self(void)
{
        execve(self, (char *[]){self, END, NULL}, (char *[]){NULL});
        exit_group(1);
}

static __attribute__((noinline)) int64_t ticks_of(void (*run)(void))
{
        int status = -1;
        uint64_t start = tsc();
        long pid = fork();
        if (!pid)
                run();
        wait4(pid, &status, 0, NULL);
        int64_t took = (int64_t)(tsc() - start);
        failed += pid < 0 || status;
        return took;
}

static void measure(const char *origin, const char *what, void (*run)(void))
{
        static struct statistics s;
        char id[40];
        snprintf(id, sizeof id, "%s/%s", origin, what);
        progress_row(id);
        do {
                noise_try();
                for (unsigned i = 0; i < WARM_UP + samples;) {
                        int64_t took = ticks_of(run);
                        ticks[i < WARM_UP ? 0 : i - WARM_UP] = took;
                        i += noise_keeps(took);
                }
        } while (noise_again(true));
        statistics_of(&s, ticks, samples);
        print_result("spawn", id, "spawn", &s);
        print("  %-28s %8lld\n", id, (long long)s.median);
}

int main(int argc, char **argv)
{
        if (argc > 1 && !strcmp(argv[1], END))
                return 0;
        const char *origin = program_origin(argv[0]);
        self = argv[0];
        samples = option_number(argv, "samples", MOST);
        samples = samples && samples <= MOST ? samples : MOST;
        noise_init(argv);
        progress_begin(argv, "spawn", 2);
        measure(origin, "fork", run_nothing);
        measure(origin, "exec", run_self);
        check(!failed, "children", "%u children did not begin, or did not end well", failed);
        return check_status();
}
