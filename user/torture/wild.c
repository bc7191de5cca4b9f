/*
 * wild.c - random threads and processes: they create each other, send each other signals, stop and
 * kill each other, wait for events that never happen, run other programs, and do the steps of chaos
 * in one directory and on shared memory. Their results are not checked: the machine must survive,
 * and all their resources must be freed.
 */
#include "wild.h"
#include "linux.h"
#include "signals.h"
#include "steps.h"

#define SYS(name, ...) system_call(NUMBER_##name, ##__VA_ARGS__)
#define THREAD (CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD)
#define PROCESSES 12 /* alive at the same time */
#define STACKS 6
#define PLACE "/tmp/wild"

/* Memory shared by all of them. */
static struct {
        volatile long pids[PROCESSES];
        volatile uint32_t word, alive;
} * all;

static uint8_t stacks[STACKS][8192] __attribute__((aligned(16)));
static struct random randoms[STACKS];
static volatile unsigned threads;
static int ends[2];

static _Noreturn void live(struct random *random);

static void begin_thread(void)
{
        live(&randoms[threads % STACKS]);
}

static void make_thread(struct random *random)
{
        static const long flags[] = {THREAD, THREAD, CLONE_VM | CLONE_SIGHAND | SIGCHLD,
                                     CLONE_VM | CLONE_FILES | CLONE_FS | SIGCHLD};
        unsigned which = ++threads % STACKS;
        randoms[which] = random_of(random_next(random), which);
        thread_start(flags[random_below(random, 4)], stacks[which] + sizeof stacks[which], NULL,
                     begin_thread);
}

static void make_process(struct random *random)
{
        unsigned which = random_below(random, PROCESSES);
        struct random other = random_of(random_next(random), which);
        if (all->alive >= PROCESSES)
                return;
        long pid = SYS(fork);
        if (!pid) {
                threads = 0;
                live(&other);
        }
        if (pid > 0) {
                all->alive++;
                all->pids[which] = pid;
        }
}

static long somebody(struct random *random)
{
        return all->pids[random_below(random, PROCESSES)];
}

static void signal_somebody(struct random *random)
{
        static const int all_signals[] = {SIGUSR1, SIGUSR2, SIGSTOP, SIGCONT, SIGCONT, SIGCONT,
                                          SIGCHLD, SIGTERM, SIGTSTP, SIGSEGV, 40,      SIGKILL};
        int signal = all_signals[random_below(random, sizeof all_signals / sizeof *all_signals)];
        long who = somebody(random);
        if (who > 1)
                random_below(random, 2) ? kill(who, signal) : SYS(tkill, who, signal);
}

static void wait_for_somebody(struct random *random)
{
        int status;
        if (wait4(-1, &status, random_below(random, 8) ? WNOHANG | WUNTRACED : 0, NULL) > 0)
                all->alive--;
}

static void sleep_somehow(struct random *random)
{
        const struct timespec moment = {0, (long)random_below(random, 30000000)};
        const uint64_t none = 0;
        char bytes[100];
        switch (random_below(random, 7)) {
        case 0: SYS(futex, &all->word, FUTEX_WAIT, all->word, &moment); break;
        case 1: SYS(futex, &all->word, FUTEX_WAKE, random_below(random, 4)); break;
        case 2: nanosleep(&moment, NULL); break;
        case 3: write(ends[1], bytes, random_below(random, sizeof bytes)); break;
        case 4: read(ends[0], bytes, random_below(random, sizeof bytes)); break;
        case 5: random_below(random, 8) ? 0 : rt_sigsuspend(&none, sizeof none); break;
        default: SYS(sched_yield);
        }
        all->word++;
}

static void handle(int signal)
{
        (void)signal;
        SYS(sched_yield);
}

static void change(struct random *random)
{
        static const int which[] = {SIGUSR1, SIGUSR2, SIGTERM, SIGCHLD, SIGSEGV};
        int signal = which[random_below(random, 5)];
        switch (random_below(random, 6)) {
        case 0: signal_set(signal, SIG_IGN); break;
        case 1: setpgid(0, 0); break;
        case 2: setsid(); break;
        case 3: toll_hand(somebody(random), (long)random_below(random, 3) - 1); break;
        default: signal_act(signal, handle, random_below(random, 2) ? SA_RESTART : 0, 0);
        }
}

static void execute(struct random *random)
{
        char seed[16];
        char *arguments[] = {torture_path, "wild", seed, NULL}, *environment[] = {NULL};
        snprintf(seed, sizeof seed, "%u", random_next(random) >> 8);
        execve(torture_path, arguments, environment);
}

static void leave(struct random *random)
{
        if (random_below(random, 2))
                SYS(exit, random_below(random, 256));
        exit_group((int)random_below(random, 256));
}

/* Unblocks all signals, so that a process can be told to end. */
static _Noreturn void live(struct random *random)
{
        for (;;) {
                unsigned which = random_below(random, 64);
                if (which == 0)
                        make_thread(random);
                else if (which == 1 || which == 2)
                        make_process(random);
                else if (which < 6)
                        signal_somebody(random);
                else if (which < 10)
                        wait_for_somebody(random);
                else if (which < 22)
                        sleep_somehow(random);
                else if (which < 26)
                        change(random);
                else if (which == 26 && !random_below(random, 4))
                        execute(random);
                else if (which == 27 && !random_below(random, 4))
                        leave(random);
                else
                        step(random, true);
        }
}

static void prepare(void)
{
        all = (void *)mmap(0, PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS);
        steps_begin(PLACE, -1);
        pipe(ends);
}

/* Memory is not shared across execve(): from here on it is private. */
void wild_program(const char *word)
{
        unsigned seed = 0;
        for (; *word; word++)
                seed = seed * 10 + (unsigned)(*word - '0');
        struct random random = random_of(seed, 0);
        prepare();
        live(&random);
}

static bool is_tollgate(void)
{
        return system_call(NUMBER_toll_sum) != -ENOSYS;
}

long wild_start(struct random random)
{
        if (!is_tollgate())
                return 0;
        long pid = fork();
        if (!pid) {
                setsid();
                prepare();
                live(&random);
        }
        return pid;
}

void wild_bury(void)
{
        if (!is_tollgate())
                return;
        for (int quiet = 0; quiet < 3;) {
                const struct timespec moment = {0, 1000000};
                long killed = kill(-1, SIGKILL), reaped = 0;
                nanosleep(&moment, NULL);
                while (wait4(-1, NULL, WNOHANG, NULL) > 0)
                        reaped++;
                quiet = killed || reaped ? (killed == -ESRCH && !reaped ? quiet + 1 : 0)
                                         : quiet + 1;
        }
}

void wild_end(long first)
{
        if (first <= 0)
                return;
        wild_bury();
        steps_end(PLACE);
}
