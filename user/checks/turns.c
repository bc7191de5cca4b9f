/* turns.c - a thread that is switched to must run. This program sleeps and computes alternately,
 * beside one of each origin, in which one thread makes short sleeps and one computes. A thread that
 * creates another goes on before it.
 *
 * `only=N` or `only=N/KIND`: beside N processes instead, with timers of 1 us. It must sleep no
 * longer than the turns of those that may run; if none may, computing must not take longer. */
#include "linux.h"
#include "signals.h"
#include "toll.h"

#define THREAD (CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD)
#define SLEEPS 20
#define SLEEP 2000000 /* ns */
#define MOST 40000000 /* ns: 10 ms for each of two other threads and this one again, plus some */

#define TICK 10000000 /* ns */
#define CROWD 190

static uint8_t stack[4096] __attribute__((aligned(16)));

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

/* The longest of `sleeps`, in ns above its nominal length. */
static int64_t longest(int sleeps)
{
        const struct timespec time = {0, SLEEP};
        int64_t most = 0;
        for (int i = 0; i < sleeps; i++) {
                int64_t began = monotonic_now();
                nanosleep(&time, NULL);
                int64_t late = monotonic_now() - began - SLEEP;
                most = late > most ? late : most;
        }
        return most;
}

static volatile int ran;

static _Noreturn void note(void)
{
        ran = 1;
        system_call(NUMBER_exit, 0);
        __builtin_unreachable();
}

/* How often a thread that creates another continues first. Its turn may end just then, but not
 * eight times. Linux usually does the same, but only by chance. */
static int creator_first(void)
{
        int first = 0, tid;
        for (int i = 0; i < 8; i++) {
                ran = 0;
                thread_start(THREAD, stack + sizeof stack, &tid, note);
                first += !ran;
                longest(1);
        }
        return first;
}

static int64_t work(void)
{
        int64_t began = monotonic_now();
        for (volatile int i = 0; i < 2000000; i++)
                ;
        return monotonic_now() - began;
}

static const struct timespec soon = {0, 1000};

static void set(int timer)
{
        const long each[4] = {0, 1, 0, 1}; /* us: interval and first expiry */
        system_call(NUMBER_setitimer, timer, each, 0);
}

static void on(int signal)
{
}

static _Noreturn void pause_with(const void *handler)
{
        signal_act(SIGALRM, handler, 0, 0);
        set(0);
        for (;;)
                pause();
}

static void ignored(void)
{
        pause_with((const void *)SIG_IGN);
}

static void handled(void)
{
        pause_with((const void *)on);
}

/* No two at the same moment. */
static void staggered(void)
{
        const long each[4] = {0, 10000, 0, 10000 + getpid() % CROWD * 52};
        signal_act(SIGALRM, (const void *)on, 0, 0);
        system_call(NUMBER_setitimer, 0, each, 0);
        for (;;)
                pause();
}

static void blocked(void)
{
        signal_mask(SIG_BLOCK, SIGNAL_BIT(SIGALRM));
        handled();
}

static void handled_computing(void)
{
        signal_act(SIGALRM, (const void *)on, 0, 0);
        set(0);
        compute();
}

static void counted(void)
{
        signal_act(SIGVTALRM, (const void *)on, 0, 0);
        signal_act(SIGPROF, (const void *)on, 0, 0);
        set(1);
        set(2);
        compute();
}

static void sleeping(void)
{
        for (;;)
                nanosleep(&soon, NULL);
}

static void polling(void)
{
        for (;;)
                system_call(NUMBER_ppoll, 0, 0, &soon, 0, 0);
}

static void setting_anew(void)
{
        for (;;)
                toll_call(NUMBER_toll_timer, TIMER_USUAL);
}

static const struct storm {
        const char *name;
        void (*run)(void);
        bool rests; /* no process may run */
} storms[] = {{"ignored", ignored, true},     {"blocked", blocked, true},
              {"handled", handled, false},    {"computing", handled_computing, false},
              {"nanosleep", sleeping, false}, {"ppoll", polling, false},
              {"virtual", counted, false},    {"staggered", staggered, false},
              {"anew", setting_anew, false}};

static void try(const struct storm *storm, int count)
{
        static long pids[CROWD];
        int64_t alone = longest(1), worked = storm->rests ? work() : 0;
        int begun = 0, gate[2];
        char none;
        print("  %d timers: %s\n", count, storm->name); /* printed first, in case it freezes */
        pipe(gate);
        for (long pid = 1; begun < count && pid > 0; begun += pid > 0) {
                pids[begun] = pid = fork();
                if (!pid) {
                        close(gate[1]);
                        read(gate[0], &none, 1);
                        storm->run();
                }
        }
        close(gate[0]);
        close(gate[1]);
        longest(1); /* all processes must have set theirs */
        int64_t late = longest(2), most = (int64_t)TICK * (storm->rests ? 1 : begun + 1);
        int64_t added = storm->rests ? work() - worked : 0;
        for (int i = 0; i < begun; i++)
                kill(pids[i], SIGKILL);
        while (wait4(-1, NULL, 0, NULL) > 0)
                ;
        check(begun == count && late < alone + most && added <= worked / 8, storm->name,
              "%d processes; a sleep was %u us late, and work took %d us more", begun,
              (unsigned)late / 1000, (int)added / 1000);
}

static int try_storms(const char *kind, unsigned count)
{
        for (size_t i = 0; i < sizeof storms / sizeof *storms; i++)
                if (!kind || !strcmp(kind + 1, storms[i].name))
                        try(&storms[i], count < CROWD ? (int)count : CROWD);
        return check_status();
}

int main(int argc, char **argv)
{
        static const char *const paths[] = {"/bin/turns", "/compat/turns", "/trusted/turns"};
        if (argc > 1 && !strcmp(argv[1], "other"))
                sleep_and_compute();
        unsigned count = option_number(argv, "only", 0);
        if (count)
                return try_storms(strchr(option(argv, "only"), '/'), count);
        for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
                int fd = (int)open(paths[i], O_RDONLY, 0), status;
                if (fd < 0)
                        continue;
                close(fd);
                long other = start(paths[i]);
                int64_t late = longest(SLEEPS);
                kill(other, SIGKILL);
                wait4(other, &status, 0, NULL);
                check(late < MOST, paths[i], "%d sleeps of 2 ms, the longest %u us late", SLEEPS,
                      (unsigned)late / 1000);
        }
        int first = creator_first();
        check(first, "clone", "who makes a thread goes on before it: %d of 8", first);
        return check_status();
}
