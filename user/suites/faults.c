/*
 * faults.c - what page faults and signals cost, from the instruction that causes them to the one
 * behind it: a page of zeros, a page copied after a fork, a page of the stack; a pointer that leads
 * nowhere, given to a system call; a signal from a fault and from kill(), to its handler and back
 * by sigreturn, or out of the handler by siglongjmp().
 *
 * A sample is the difference of two RDTSCs around a function that does it, less that around one
 * that does nothing. The devices are quiet meanwhile; on Linux, where this runs as it is
 * (`tollgate linux`), nobody can ask for that.
 */
#include "const.h"
#include "signals.h"
#include "noise.h"
#include "progress.h"
#include "result.h"

#define PAGES 64 /* samples in one go */
#define SIZE (PAGES * PAGE_SIZE)
/* Below every program: above NOWHERE Linux may have the stack, and first tries to let it grow. */
#define BELOW 0x20000

static int64_t ticks[SAMPLES_MAX];
static char area[SIZE] __attribute__((aligned(PAGE_SIZE)));
static long child;
static void *jump_to[5]; /* __builtin_setjmp()'s */

/* --- what happens before and after PAGES samples ---------------------------------------------- */

static void nothing(uintptr_t unused)
{
        (void)unused;
}

/* Pages as if they had never been touched. */
static void forget(uintptr_t start)
{
        madvise(start, SIZE, MADV_DONTNEED);
}

static void touch(uintptr_t address)
{
        *(volatile char *)address = 1;
}

static void share(uintptr_t start)
{
        for (unsigned i = 0; i < PAGES; i++)
                touch(start + i * PAGE_SIZE);
        child = fork();
        while (!child)
                pause();
}

static void end_child(uintptr_t unused)
{
        (void)unused;
        kill(child, SIGKILL);
        wait4(child, NULL, 0, NULL);
}

/* -EFAULT */
static void ask_the_time(uintptr_t to)
{
        system_call(NUMBER_gettimeofday, to, 0);
}

/* --- signals -----------------------------------------------------------------------------------
 */

static void handle(int signal)
{
        (void)signal;
}

static void skip_write(int signal, struct siginfo *info, struct ucontext *uc)
{
        (void)signal, (void)info;
        uc->context.ip = (uintptr_t)fault_write_end;
}

/* Out of the handler, as siglongjmp() leaves it: the mask is what it was, and nobody returns. */
static void jump_back(int signal)
{
        const uint64_t none = 0;
        (void)signal;
        rt_sigprocmask(SIG_SETMASK, &none, NULL, sizeof none);
        __builtin_longjmp(jump_to, 1);
}

static void jump_write(uintptr_t address)
{
        if (!__builtin_setjmp(jump_to))
                fault_write(address);
}

static void will_jump(uintptr_t unused)
{
        (void)unused;
        signal_act(SIGSEGV, jump_back, 0, 0);
}

static void will_return(uintptr_t unused)
{
        (void)unused;
        signal_act(SIGSEGV, skip_write, SA_SIGINFO, 0);
}

static void kill_itself(uintptr_t pid)
{
        kill(pid, SIGUSR1);
}

/* --- rows --------------------------------------------------------------------------------------
 */

struct row {
        const char *id;
        void (*before)(uintptr_t start);
        void (*cause)(uintptr_t argument); /* from `start` on, by `step` */
        void (*after)(uintptr_t start);
        uintptr_t start, step;
};

static __attribute__((noinline)) int64_t ticks_of(void (*cause)(uintptr_t), uintptr_t argument)
{
        uint64_t start = tsc();
        cause(argument);
        return (int64_t)(tsc() - start);
}

static void sample(const struct row *row, unsigned n, int64_t empty)
{
        noise_try();
        for (unsigned kept = 0; kept < n;) {
                row->before(row->start);
                toll_call(NUMBER_toll_quiet, 1);
                for (unsigned i = 0; i < PAGES && kept < n; i++) {
                        ticks[kept] = ticks_of(row->cause, row->start + i * row->step) - empty;
                        kept += noise_keeps(ticks[kept]);
                }
                toll_call(NUMBER_toll_quiet, 0);
                row->after(row->start);
        }
}

static void record(const char *origin, const char *name, unsigned n)
{
        char id[40];
        struct statistics s;
        statistics_of(&s, ticks, n);
        snprintf(id, sizeof id, "%s/%s", origin, name);
        print_result("exceptions", id, name, &s);
        print("  %-28s %6lld\n", id, (long long)s.median);
}

int main(int argc, char **argv)
{
        (void)argc;
        const char *only = option(argv, "only");
        unsigned n = option_number(argv, "samples", 1000), wanted = 0;
        const char *origin = program_origin(argv[0]);
        const uintptr_t start = (uintptr_t)area, pid = (uintptr_t)getpid();
        const uintptr_t stack = (uintptr_t)__builtin_frame_address(0) & ~(uintptr_t)(PAGE_SIZE - 1);
        const struct row rows[] = {
                {"fault/zero", forget, touch, nothing, start, PAGE_SIZE},
                {"fault/copy", share, touch, end_child, start, PAGE_SIZE},
                {"fault/stack", forget, touch, nothing, stack - 2 * SIZE, PAGE_SIZE},
                {"fault/call", nothing, ask_the_time, nothing, BELOW, 0},
                {"signal/segv", nothing, fault_write, nothing, BELOW, 0},
                {"signal/jump", will_jump, jump_write, will_return, BELOW, 0},
                {"signal/self", nothing, kill_itself, nothing, pid, 0},
        };
        const struct row empty = {"", nothing, nothing, nothing, 0, 0};

        n = n && n <= SAMPLES_MAX ? n : SAMPLES_MAX;
        will_return(0);
        signal_act(SIGUSR1, handle, 0, 0);
        noise_init(argv);
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
                wanted += !only || strstr(rows[i].id, only);
        progress_begin(argv, "faults", wanted);
        do
                sample(&empty, n, 0);
        while (noise_again(true));
        int64_t least = median_of(ticks, n);
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
                if (only && !strstr(rows[i].id, only))
                        continue;
                progress_row(rows[i].id);
                do {
                        sample(&rows[i], PAGES, least); /* warm up */
                        sample(&rows[i], n, least);
                } while (noise_again(true));
                record(origin, rows[i].id, n);
        }
        return check_status();
}
