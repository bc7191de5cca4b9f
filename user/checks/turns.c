/*
 * turns.c - whoever is switched to executes: this program sleeps and computes by turns, beside one
 * of each origin of which one thread sleeps as shortly as it can and another computes without end.
 */
#include "linux.h"
#include "toll.h"

#define THREAD (CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD)
#define SLEEPS 20
#define SLEEP 2000000 /* ns */
#define MOST                                                                                       \
        40000000 /* ns: two other threads, and this one once more, have 10 ms each, and a bit */

static uint8_t stack[4096] __attribute__((aligned(16)));

static int64_t now(void)
{
        struct timespec time;
        clock_gettime(CLOCK_MONOTONIC, &time);
        return (int64_t)time.seconds * 1000000000 + (int64_t)time.nanoseconds;
}

static void compute(void)
{
        for (;;)
                ;
}

static _Noreturn void sleep_and_compute(void)
{
        const struct timespec shortly = {0, 2000};
        int tid;
        thread_start(THREAD, stack + sizeof stack, &tid, compute);
        for (;;)
                nanosleep(&shortly, NULL);
}

static long start(const char *path)
{
        long child = fork();
        if (!child) {
                execve(path, (char *[]){(char *)path, "other", NULL}, (char *[]){NULL});
                exit_group(1);
        }
        return child;
}

/* The longest of SLEEPS sleeps, in ns above what it was to take. */
static int64_t longest(void)
{
        const struct timespec time = {0, SLEEP};
        int64_t most = 0;
        for (int i = 0; i < SLEEPS; i++) {
                int64_t began = now();
                nanosleep(&time, NULL);
                int64_t late = now() - began - SLEEP;
                most = late > most ? late : most;
        }
        return most;
}

int main(int argc, char **argv)
{
        static const char *const paths[] = {"/bin/turns", "/compat/turns", "/trusted/turns"};
        if (argc > 1 && !strcmp(argv[1], "other"))
                sleep_and_compute();
        for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
                int fd = (int)open(paths[i], O_RDONLY, 0), status;
                if (fd < 0)
                        continue;
                close(fd);
                long other = start(paths[i]);
                int64_t late = longest();
                kill(other, SIGKILL);
                wait4(other, &status, 0, NULL);
                check(late < MOST, paths[i], "%d sleeps of 2 ms, the longest %u us late", SLEEPS,
                      (unsigned)late / 1000);
        }
        (void)argv;
        return check_status();
}
