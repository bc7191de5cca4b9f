/* spawn.c - the cost of a process, from fork() to the return of wait4(): one that ends at once,
 * with few areas of memory, with 1,000, and with 5,000 more touched pages; and one that executes
 * this program, which then ends at once, by fork(), and as posix_spawn() does it, by clone() with
 * the parent's memory. It makes no Tollgate calls, so `tollgate linux` runs the same program on
 * Linux. */
#include "linux.h"
#include "noise.h"
#include "progress.h"
#include "result.h"

#define MOST 200 /* samples: each is long */
#define AREAS 1000
#define TOUCHED 5000     /* pages */
#define MACHINE_WORDS 32 /* more than struct sysinfo has */
#define FREERAM 5        /* a word of it, in bytes */
#define END "end"        /* the argument for a program that ends at once */

static int64_t ticks[MOST];
static unsigned samples, failed;
static char *self;
static char stack[PAGE_SIZE] __attribute__((aligned(16))); /* the child's that borrows the memory */

static void run_nothing(void)
{
        exit_group(0);
}

static void run_self(void)
{
        execve(self, (char *[]){self, END, NULL}, (char *[]){NULL});
        exit_group(1);
}

static long by_fork(void (*run)(void))
{
        long pid = fork();
        if (!pid)
                run();
        return pid;
}

static long by_vfork(void (*run)(void))
{
        return thread_start(CLONE_VM | CLONE_VFORK | SIGCHLD, stack + sizeof stack, NULL, run);
}

static __attribute__((noinline)) int64_t ticks_of(long (*start_child)(void (*)(void)),
                                                  void (*run)(void))
{
        int status = -1;
        uint64_t start = tsc();
        long pid = start_child(run);
        wait4(pid, &status, 0, NULL);
        int64_t took = (int64_t)(tsc() - start);
        failed += pid < 0 || status;
        return took;
}

static void measure(const char *origin, const char *what, long (*start)(void (*)(void)),
                    void (*run)(void))
{
        static struct statistics s;
        char id[40];
        snprintf(id, sizeof id, "%s/%s", origin, what);
        progress_row(id);
        do {
                noise_try();
                for (unsigned i = 0; i < WARM_UP_LONG + samples;) {
                        int64_t took = ticks_of(start, run);
                        ticks[i < WARM_UP_LONG ? 0 : i - WARM_UP_LONG] = took;
                        i += noise_keeps(took);
                }
        } while (noise_again(true));
        statistics_of(&s, ticks, samples);
        print_result("spawn", id, "spawn", &s);
        print("  %-28s %8lld\n", id, (long long)s.median);
}

/* A fork's cost for a page is the most where the memory is more than is copied in one turn. */
static void measure_touched(const char *origin)
{
        long machine[MACHINE_WORDS], bytes = TOUCHED * PAGE_SIZE;
        if (sysinfo(machine) || machine[FREERAM] < 2 * bytes) {
                char id[40];
                snprintf(id, sizeof id, "%s/fork/touched", origin);
                print_skip("spawn", id, "too little memory is free");
                return;
        }
        long at = mmap(0, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS);
        for (long i = 0; i < bytes; i += PAGE_SIZE)
                ((char *)at)[i] = 1;
        measure(origin, "fork/touched", by_fork, run_nothing);
        munmap(at, bytes);
}

/* Protects every other page, so that no neighbours merge. */
static void make_areas(void)
{
        uintptr_t at = (uintptr_t)mmap(0, AREAS * PAGE_SIZE, PROT_READ | PROT_WRITE,
                                       MAP_PRIVATE | MAP_ANONYMOUS);
        unsigned made = 0;
        for (uintptr_t i = 0; i < AREAS; i += 2)
                made += !mprotect(at + i * PAGE_SIZE, PAGE_SIZE, PROT_READ);
        check(made == AREAS / 2, "areas", "%u of %u areas were made", 2 * made, AREAS);
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
        progress_begin(argv, "spawn", 5);
        measure(origin, "fork", by_fork, run_nothing);
        measure(origin, "exec", by_fork, run_self);
        measure(origin, "vfork", by_vfork, run_self);
        measure_touched(origin);
        make_areas();
        measure(origin, "fork/areas", by_fork, run_nothing);
        check(!failed, "children", "%u children did not begin, or did not end well", failed);
        return check_status();
}
