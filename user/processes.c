/*
 * processes.c - what Linux promises of processes: fork copies, threads share, waiting tells how it
 * ended, execve keeps its word, the timer takes turns. Runs on Linux, too.
 */
#include "const.h"
#include "errno.h"
#include "lib.h"

#define CALL(name, a, b, c) system_call(NUMBER_##name, (long)(a), (long)(b), (long)(c), 0L, 0L, 0L)
#define WAIT(pid, status, options)                                                                 \
        system_call(NUMBER_wait4, (long)(pid), (long)(status), (long)(options), 0L, 0L, 0L)
#define WNOHANG 1
#define WUNTRACED 2
#define SIGKILL 9
#define SIGCONT 18
#define SIGSTOP 19
#define THREAD (0x100 | 0x200 | 0x400 | 0x800 | 0x10000)
#define PARENT_SETTID 0x100000
#define CHILD_CLEARTID 0x200000
#define FUTEX_WAIT 0
#define FUTEX_WAKE 1

static volatile int shared;
static volatile uintptr_t nowhere = 16; /* in page 0 */
static const char *self;

static void leave(int code)
{
        CALL(exit_group, code, 0, 0);
}

static int status_of(long pid)
{
        int status = -1;
        return WAIT(pid, &status, 0) == pid ? status : -1;
}

static void try_fork(void)
{
        shared = 1;
        long child = CALL(fork, 0, 0, 0);
        if (!child) {
                shared = 2;
                leave(shared == 2 && CALL(getpid, 0, 0, 0) != CALL(getppid, 0, 0, 0) ? 42 : 1);
        }
        int status = status_of(child);
        check(status == 42 << 8, "fork", "child %s, wait status %x",
              child > 0 ? "made" : "not made", (unsigned)status);
        check(shared == 1, "fork", "what the child wrote stays the child's: %d", shared);
        check(WAIT(-1, 0, 0) == -ECHILD, "wait", "without a child: %ld", WAIT(-1, 0, 0));
        check(WAIT(-1, 0, 77) == -EINVAL, "wait", "options unknown: %ld", WAIT(-1, 0, 77));
}

/* Grandchildren, each adding one to the exit code of the one below. */
static void try_depth(void)
{
        long child = CALL(fork, 0, 0, 0);
        if (!child) {
                long below = CALL(fork, 0, 0, 0);
                if (!below) {
                        long last = CALL(fork, 0, 0, 0);
                        if (!last)
                                leave(1);
                        leave((status_of(last) >> 8) + 1);
                }
                leave((status_of(below) >> 8) + 1);
        }
        int status = status_of(child);
        check(status == 3 << 8, "fork", "three generations: %x", (unsigned)status);
}

static void try_death(void)
{
        long child = CALL(fork, 0, 0, 0);
        if (!child) {
                *(volatile int *)nowhere = 1;
                leave(0);
        }
        int status = status_of(child);
        check((status & 0x7f) == 11, "wait", "a child that wrote to address 16: %x",
              (unsigned)status);
}

/* Two that never give the processor away: both get on. */
static void try_turns(void)
{
        long child = CALL(fork, 0, 0, 0);
        if (!child)
                for (;;)
                        shared++;
        struct {
                long seconds, nanoseconds;
        } pause = {0, 50000000};
        long result = CALL(nanosleep, &pause, 0, 0);
        int running = (int)WAIT(child, 0, WNOHANG);
        long killed = CALL(kill, child, 9, 0);
        int status = status_of(child);
        check(!result && !running && !killed && (status & 0x7f) == 9, "turns",
              "slept beside a busy child: %ld, %d, %ld, %x", result, running, killed,
              (unsigned)status);
}

static void try_many(void)
{
        unsigned made = 0, ended = 0;
        long error = 0;
        for (; made < 1000; made++) {
                long child = CALL(fork, 0, 0, 0);
                if (!child) {
                        CALL(sched_yield, 0, 0, 0);
                        leave(7);
                }
                if (child < 0) {
                        error = child;
                        break;
                }
        }
        int status;
        while (WAIT(-1, &status, 0) > 0)
                ended += status == 7 << 8;
        check(ended == made && made > 20 && (made == 1000 || error == -EAGAIN || error == -ENOMEM),
              "fork", "of %u at once %u ended well, then %ld", made, ended, error);
}

/* --- threads ------------------------------------------------------------------------------- */

static uint8_t stack[16384] __attribute__((aligned(16)));
static volatile int thread_tid, ready;

static void thread(void)
{
        shared = 99;
        ready = 1;
        system_call(NUMBER_futex, (long)&ready, (long)FUTEX_WAKE, 1L, 0L, 0L, 0L);
        CALL(exit, 0, 0, 0);
}

static void try_threads(void)
{
        shared = ready = 0;
        thread_tid = -1;
        long flags = THREAD | PARENT_SETTID | CHILD_CLEARTID;
        long tid = thread_start(flags, stack + sizeof stack, (void *)&thread_tid, thread);
        while (!ready)
                system_call(NUMBER_futex, (long)&ready, (long)FUTEX_WAIT, 0L, 0L, 0L, 0L);
        int left = thread_tid;
        while ((left = thread_tid))
                system_call(NUMBER_futex, (long)&thread_tid, (long)FUTEX_WAIT, (long)left, 0L, 0L,
                            0L);
        check(tid > 0 && shared == 99, "clone", "a thread wrote what this one reads: %d", shared);
        check(WAIT(-1, 0, 0) == -ECHILD, "clone", "a thread is no child: %ld", WAIT(-1, 0, 0));
        long bad = system_call(NUMBER_clone, 0x10000L, 0L, 0L, 0L, 0L, 0L);
        check(bad == -EINVAL, "clone", "a thread without shared handlers: %ld", bad);
}

static int beats[2];

static void doze(long milliseconds)
{
        const long moment[2] = {0, milliseconds * 1000000};
        CALL(nanosleep, moment, 0, 0);
}

static void beat(void)
{
        for (;;) {
                CALL(write, beats[1], ".", 1);
                doze(1);
        }
}

/* SIGSTOP is the whole program's: its other thread has no heart beat until SIGCONT. */
static void try_stop(void)
{
        char c = 0;
        int status = -1, between = 0;
        CALL(pipe, beats, 0, 0);
        long child = CALL(fork, 0, 0, 0);
        if (!child) {
                thread_start(THREAD, stack + sizeof stack, NULL, beat);
                for (;;)
                        CALL(pause, 0, 0, 0);
        }
        CALL(read, beats[0], &c, 1);
        CALL(kill, child, SIGSTOP, 0);
        WAIT(child, &status, WUNTRACED);
        check(status == (SIGSTOP << 8 | 0x7f), "SIGSTOP", "of two threads: %x", (unsigned)status);
        doze(30);
        CALL(write, beats[1], "(", 1);
        doze(100);
        CALL(write, beats[1], ")", 1);
        while (c != '(')
                CALL(read, beats[0], &c, 1);
        for (; c != ')'; between += c == '.')
                CALL(read, beats[0], &c, 1);
        check(!between, "SIGSTOP", "%d beats of the other thread", between);
        CALL(kill, child, SIGCONT, 0);
        CALL(read, beats[0], &c, 1);
        check(c == '.', "SIGCONT", "it beats again: %c", c);
        CALL(kill, child, SIGSTOP, 0);
        WAIT(child, &status, WUNTRACED);
        CALL(kill, child, SIGKILL, 0);
        check(status_of(child) == SIGKILL, "SIGKILL", "ends two threads that are stopped");
        CALL(close, beats[0], 0, 0);
        CALL(close, beats[1], 0, 0);
}

/* --- execve ---------------------------------------------------------------------------------- */

static int run(const char *path, const char *const arguments[], const char *const variables[])
{
        long child = CALL(fork, 0, 0, 0);
        if (!child) {
                long error = CALL(execve, path, arguments, variables);
                leave(error == -ENOENT    ? 101
                      : error == -EFAULT  ? 102
                      : error == -E2BIG   ? 103
                      : error == -ENOEXEC ? 104
                      : error == -EACCES  ? 105
                                          : 106);
        }
        return status_of(child);
}

static void try_execve(void)
{
        static const char *many[40000];
        const char *const arguments[] = {"processes", "second", "third argument", NULL};
        const char *const variables[] = {"A=1", "LONG=0123456789", NULL};
        for (size_t i = 0; i + 1 < sizeof many / sizeof *many; i++)
                many[i] = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
                          "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";
        int status = run(self, arguments, variables);
        check(status == 55 << 8, "execve", "arguments and environment arrive: %x",
              (unsigned)status);
        status = run("/no/such/file", arguments, variables);
        check(status == 101 << 8, "execve", "no such file: %x", (unsigned)status);
        status = run((const char *)nowhere, arguments, variables);
        check(status == 102 << 8, "execve", "path that cannot be read: %x", (unsigned)status);
        status = run(self, (const char *const *)nowhere, variables);
        check(status == 102 << 8, "execve", "arguments that cannot be read: %x", (unsigned)status);
        status = run(self, many, variables);
        check(status == 103 << 8, "execve", "too many arguments: %x", (unsigned)status);
}

static int second_life(int argc, char **argv)
{
        char **variables = argv + argc + 1;
        return argc == 3 && !strcmp(argv[2], "third argument") && !strcmp(variables[0], "A=1") &&
                               !strcmp(variables[1], "LONG=0123456789") && !variables[2]
                       ? 55
                       : 56;
}

int main(int argc, char **argv)
{
        self = argv[0];
        if (argc > 1 && !strcmp(argv[1], "second"))
                return second_life(argc, argv);
        try_fork();
        try_depth();
        try_death();
        try_turns();
        try_many();
        try_threads();
        try_stop();
        try_execve();
        return check_status();
}
