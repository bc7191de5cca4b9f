/*
 * hostile.c - each system call with each hostile value in each of its arguments: the numbers of
 * hostile.def, which tools/hostile.py makes, files of every kind by descriptor and by name. The
 * other arguments are drawn by the seed, most of them from what the call can do something with.
 *
 * Beside them a witness has memory of its own and wants its turns.
 */
#include "child.h"
#include "linux.h"
#include "signals.h"
#include "steps.h"
#include "torture.h"
#include "wild.h"
#include "zoo.h"

#define SYS(name, ...) system_call(NUMBER_##name, ##__VA_ARGS__)
#define COUNT(array) (sizeof(array) / sizeof *(array))
#define REPORT 63   /* main.c's pipe */
#define STRIDE 9973 /* from a deed's case to the next one's: a prime */
#define BLOCK 16    /* choices of a case */
#define TRIES 4     /* of a file with a number, each with other arguments beside them */

#define PLACE "/tmp/hostile"
#define ARENA 0x30000000ul /* four pages, and nothing behind them */
#define ARENA_SIZE 0x4000ul
#define ARGUMENTS 6
#define TICK 2000     /* microseconds: no call waits for longer */
#define TICKS 50      /* for a process of its own to come to its next choice */
#define TURN 40000000 /* nanoseconds: no turn of the witness is later */
#define RLIMIT_RSS 5
#define SCARCE 41 /* a kernel that checks itself has no memory each so many times */
#define DIED 199  /* an end, beside the errors */

struct target {
        const char *name;
        long number; /* -1: the other width's */
        const char *takes;
};
static const struct target targets[] = {
#define NARROW(value)
#define LARGE(value)
#define TAKES(name, kinds) {#name, NUMBER_##name, kinds},
#include "hostile.def"
};
#undef TAKES
#define TAKES(name, kinds)
static const uintptr_t values[] = {
#undef NARROW
#undef LARGE
#define NARROW(value) (uintptr_t) value##ull,
#define LARGE NARROW
#include "hostile.def"
};
enum {
        NARROWS = 0
#undef NARROW
#undef LARGE
#define NARROW(value) +1
#define LARGE(value)
#include "hostile.def"
};
static const unsigned value_count = WIDE ? COUNT(values) : NARROWS;
static uint32_t total; /* cases */

/* Shared with the children. */
static struct {
        volatile bool ends;
        volatile long turns, longest; /* of the witness, the latter in nanoseconds */
        volatile unsigned next;       /* choice */
} * seen;

/* After these the process is not what it was, or has ended, or sleeps with nobody to wake it: each
 * is made in a process of its own. */
static const char spoilers[] =
        " exit exit_group fork vfork clone execve close dup2 dup3 chdir fchdir setrlimit prlimit64"
        " brk mmap old_mmap mmap2 munmap mprotect mremap madvise rt_sigaction rt_sigprocmask"
        " rt_sigsuspend rt_sigtimedwait sigaltstack rt_sigreturn rt_sigqueueinfo kill tkill tgkill"
        " rt_tgsigqueueinfo signal sigaction sigsuspend sigreturn sigprocmask ppoll pselect6 setsid"
        " setpgid set_thread_area arch_prctl set_robust_list set_tid_address setitimer alarm"
        " toll_hand ";

static bool spoils(const char *name)
{
        size_t length = strlen(name);
        for (const char *at = strstr(spoilers, name); at; at = strstr(at + 1, name))
                if (at[-1] == ' ' && at[length] == ' ')
                        return true;
        return false;
}

/* --- the arguments --------------------------------------------------------------------------- */

static unsigned choices(char kind)
{
        return value_count + (kind == 'f'   ? zoo_descriptors
                              : kind == 'p' ? zoo_names + zoo_descriptors
                                            : 0);
}

static unsigned blocks(char kind)
{
        return (choices(kind) + BLOCK - 1) / BLOCK;
}

static uintptr_t choice(char kind, unsigned n)
{
        if (n < value_count)
                return values[n];
        n -= value_count;
        return kind == 'f' ? ZOO_FIRST + n : (uintptr_t)zoo_name(n);
}

static uintptr_t some_value(struct random *random)
{
        return values[random_below(random, value_count)];
}

static uintptr_t some_place(struct random *random)
{
        return random_below(random, 8)
                       ? ARENA + random_below(random, ARENA_SIZE / 2)
                       : ARENA + ARENA_SIZE - random_below(random, 32) * (random_next(random) & 1);
}

/* Structures of any kind: words that mean something, small ones, addresses of others. */
static uintptr_t buffer(struct random *random)
{
        uintptr_t *at = (uintptr_t *)(ARENA + random_below(random, 256) * 16);
        for (unsigned i = 0; i < 12; i++) {
                unsigned which = random_below(random, 8);
                at[i] = which < 2   ? 0
                        : which < 4 ? random_below(random, 9)
                        : which < 5 ? ZOO_FIRST + random_below(random, zoo_descriptors)
                        : which < 6 ? some_place(random)
                                    : some_value(random);
        }
        return random_below(random, 8) ? (uintptr_t)at : some_place(random);
}

static uintptr_t fitting(struct random *random, char kind)
{
        unsigned which = random_below(random, 8);
        if (!which)
                return some_value(random);
        switch (kind) {
        case 'f': return ZOO_FIRST + random_below(random, zoo_descriptors);
        case 'p': return (uintptr_t)zoo_name(random_below(random, zoo_names + zoo_descriptors));
        case 'b': return which == 1 ? 0 : buffer(random);
        }
        return which < 4   ? random_below(random, 5)
               : which < 5 ? some_value(random)
               : which < 6 ? some_value(random) ^ some_value(random)
               : which < 7 ? (uintptr_t)1 << random_below(random, 8 * sizeof(uintptr_t))
                           : random_below(random, 8192);
}

/* --- what is not asked ------------------------------------------------------------------------ */

static bool is(const struct target *target, const char *name)
{
        return !strcmp(target->name, name);
}

/* Left out: calls that reset the machine or spoil the report; from ring 0 also calls that a program
 * there is trusted not to make (docs/trusted.md): to begin anywhere, with any stack, or to take the
 * protection off. */
static bool is_asked(const struct target *target, uintptr_t a[ARGUMENTS])
{
        for (unsigned i = 0; target->takes[i]; i++)
                if (target->takes[i] == 'f' && (int)a[i] == REPORT)
                        return false;
        if (is(target, "reboot") && (uint32_t)a[0] == REBOOT_MAGIC1)
                return false;
        if (!at_cpl_0())
                return true;
        if (is(target, "clone")) {
                a[0] &= ~(uintptr_t)CLONE_VM;
                a[1] = 0;
        }
        return !is(target, "rt_sigreturn") && !is(target, "sigreturn") &&
               !(is(target, "toll_protect") && a[0] < 2);
}

/* --- the call --------------------------------------------------------------------------------- */

static _Noreturn void leave(long status)
{
        for (;;)
                SYS(exit_group, status);
}

/* The pages that it gave, as the kernel's copies find them: no signal comes. */
static void touch(uintptr_t at, size_t size)
{
        long zero = open("/dev/zero", O_RDONLY, 0), to = open("touched", O_RDWR | O_CREAT, 0600);
        size_t pages = (size + PAGE_SIZE - 1) / PAGE_SIZE;
        for (unsigned i = 0; i < 16; i++) {
                size_t n = i < 8 ? i : pages + 7 - i;
                if (n < pages) {
                        SYS(pwrite64, to, at + n * PAGE_SIZE, 64, 0, 0);
                        SYS(read, zero, at + n * PAGE_SIZE, 64);
                }
        }
}

/* Undoes the changes of the testbed's calls. */
static void restore(void)
{
        toll_call(NUMBER_toll_select, TOLL_DEFAULT, 0);
        toll_call(NUMBER_toll_quiet, 0);
        toll_call(NUMBER_toll_watch, -1);
        toll_call(NUMBER_toll_timer, TIMER_USUAL);
        toll_call(NUMBER_toll_register, 0);
        toll_call(NUMBER_toll_fence, 0);
        toll_call(NUMBER_toll_iopl, 0);
        toll_call(NUMBER_toll_latency, TOLL_END, 0);
        toll_call(NUMBER_toll_reentry, 0);
        toll_call(NUMBER_toll_remember, 0);
}

static void tell(const struct target *target, const uintptr_t a[ARGUMENTS])
{
        print("torture: %s(", target->name);
        for (unsigned i = 0; target->takes[i]; i++)
                if (target->takes[i] == 'p' && SYS(access, a[i], 0) != -EFAULT)
                        print("\"%s\", ", (const char *)a[i]);
                else
                        print("0x%lx, ", (unsigned long)a[i]);
        print(")\n");
}

/* A case: a block of the choices of one argument. */
struct hostile {
        const struct target *target;
        unsigned place, first;
        bool apart;
};

/* NULL = there is no such case; then the number is how many there are. */
static const struct target *find(uint32_t *which, struct hostile *hostile)
{
        uint32_t before = 0;
        for (const struct target *t = targets; t < targets + COUNT(targets); t++)
                for (unsigned i = 0; t->number >= 0 && t->takes[i]; i++) {
                        unsigned count = blocks(t->takes[i]);
                        if (*which - before < count) {
                                *hostile = (struct hostile){t, i, (*which - before) * BLOCK,
                                                            spoils(t->name)};
                                return t;
                        }
                        before += count;
                }
        *which = before;
        return NULL;
}

/* Arguments of a call that maps a file: access, flags and an address are right for most, so that
 * the others decide which file is mapped. */
static uintptr_t mapping(struct random *random, unsigned place, uintptr_t other)
{
        switch (random_below(random, 4) ? place : ARGUMENTS) {
        case 0: return 0;
        case 2: return random_below(random, 8);
        case 3: return 1 + random_below(random, 2);
        }
        return other;
}

static long call_with(struct random *random, const struct hostile *hostile, uintptr_t value,
                      unsigned descriptor)
{
        const struct target *target = hostile->target;
        uintptr_t a[ARGUMENTS] = {0};
        bool given = false, is_mapping = is(target, "mmap") || is(target, "mmap2");
        for (unsigned i = 0; target->takes[i]; i++) {
                a[i] = fitting(random, target->takes[i]);
                if (is_mapping)
                        a[i] = mapping(random, i, a[i]);
                if (i == hostile->place) {
                        a[i] = value;
                } else if (target->takes[i] == 'f' && descriptor && !given) {
                        a[i] = descriptor;
                        given = true;
                }
        }
        if (!is_asked(target, a))
                return 0;
        if (torture_tells)
                tell(target, a);
        long result = system_call(target->number, a[0], a[1], a[2], a[3], a[4], a[5]);
        if (!result && (is(target, "fork") || is(target, "vfork") || is(target, "clone")))
                leave(0);
        if (torture_tells)
                print("torture:  = %ld\n", result);
        if (hostile->apart && (unsigned long)result < -4095UL && !(result & (PAGE_SIZE - 1)) &&
            result) {
                touch((uintptr_t)result, a[1]);
                munmap((uintptr_t)result, a[1]);
        }
        if (!strncmp(target->name, "toll_", 5))
                restore();
        close(3); /* what a call may have opened */
        close(4);
        return result;
}

/* A number as the beginning of a page, with two bits of its own. */
static uintptr_t some_page(struct random *random, uintptr_t value)
{
        for (int i = 0; i < 2; i++)
                value ^= (uintptr_t)PAGE_SIZE << random_below(random, 8 * sizeof value - 12);
        return value & ~(uintptr_t)(PAGE_SIZE - 1);
}

/* One choice; a number with every kind of file. */
static long choose(struct random *random, const struct hostile *hostile, unsigned n)
{
        const char *takes = hostile->target->takes;
        char kind = takes[hostile->place];
        uintptr_t value = choice(kind, hostile->first + n);
        if (kind != 'n' || !strchr(takes, 'f'))
                return call_with(random, hostile, value, 0);
        const unsigned files = zoo_descriptors; /* kept where no deed writes */
        const unsigned tries = hostile->apart ? TRIES : 1;
        for (unsigned i = 0; i < files; i++)
                for (unsigned try = 0; try < tries; try++)
                        call_with(random, hostile, try & 1 ? some_page(random, value) : value,
                                  ZOO_FIRST + i);
        return 0;
}

static unsigned end_of(long result)
{
        return result < 0 && result > -DIED ? (unsigned)-result : 0;
}

/* In a process of its own, from choice n on; which the next is, is in `seen`. */
static unsigned choose_apart(struct random *random, const struct hostile *hostile, unsigned count)
{
        int status = 0;
        random_next(random); /* the child's are its own */
        long pid = fork();
        if (pid < 0) {
                seen->next++;
                return end_of(pid);
        }
        if (!pid) {
                long result = 0;
                while (seen->next < count)
                        result = choose(random, hostile, seen->next++);
                leave(end_of(result));
        }
        unsigned at = seen->next;
        for (int ticks = 0; SYS(wait4, pid, &status, 0, NULL) == -EINTR; ticks++) {
                if (at != seen->next)
                        ticks = 0;
                at = seen->next;
                if (ticks >= TICKS)
                        kill(pid, SIGKILL);
        }
        return CHILD_SIGNAL(status) ? DIED : CHILD_STATUS(status);
}

static unsigned act(struct random *random)
{
        struct hostile hostile;
        uint32_t which = torture_deed % total * STRIDE % total;
        const struct target *target = find(&which, &hostile);
        unsigned end = 0;
        if (!target)
                return 0;
        unsigned left = choices(target->takes[hostile.place]) - hostile.first,
                 count = left < BLOCK ? left : BLOCK;
        for (seen->next = 0; seen->next < count;)
                if (hostile.apart)
                        end = choose_apart(random, &hostile, count);
                else
                        end = end_of(choose(random, &hostile, seen->next++));
        return end;
}

/* --- the witness ------------------------------------------------------------------------------ */

#define PAGES 16

static long witness_pid;
static uint32_t field[PAGES * PAGE_SIZE / sizeof(uint32_t)];
static volatile bool stopped;

static void note_stop(int signal)
{
        (void)signal;
        stopped = true;
}

static bool is_whole(void)
{
        for (uint32_t i = 0; i < COUNT(field); i++)
                if (field[i] != (i + 1) * 0x9e3779b1u)
                        return false;
        return true;
}

/* Anybody may send it signals, and stop it. */
static _Noreturn void witness(void)
{
        const struct timespec moment = {0, 1000000};
        struct timespec before, now;
        bool whole = true;
        for (int signal = 1; signal <= SIGNALS; signal++)
                signal_set(signal, SIG_IGN);
        signal_act(SIGCONT, note_stop, 0, 0);
        for (uint32_t i = 0; i < COUNT(field); i++)
                field[i] = (i + 1) * 0x9e3779b1u;
        for (clock_gettime(CLOCK_MONOTONIC, &before); !seen->ends && whole; before = now) {
                nanosleep(&moment, NULL);
                clock_gettime(CLOCK_MONOTONIC, &now);
                long slept = (now.seconds - before.seconds) * 1000000000 + now.nanoseconds -
                             before.nanoseconds;
                if (slept > seen->longest && !stopped)
                        seen->longest = slept;
                stopped = false;
                seen->turns++;
                if (!(seen->turns & 63))
                        whole = is_whole();
        }
        leave(whole && is_whole() ? 0 : 1);
}

static void beside(struct random random)
{
        (void)random;
        seen->ends = false;
        seen->longest = 0;
        witness_pid = fork();
        if (!witness_pid)
                witness();
}

/* SIGKILL any program may have sent it. */
static const char *harm(void)
{
        static char text[80];
        seen->ends = true;
        kill(witness_pid, SIGCONT);
        int status = child_wait(witness_pid, 1000);
        if (status == SIGKILL)
                return NULL;
        if (status)
                snprintf(text, sizeof text, "the witness ended with %x", (unsigned)status);
        else if (seen->longest > TURN)
                snprintf(text, sizeof text, "the witness had no turn in %ld us",
                         seen->longest / 1000);
        return status || seen->longest > TURN ? text : NULL;
}

/* --- */

static long init(void)
{
        struct hostile none;
        for (int signal = 1; signal <= SIGNALS; signal++)
                if (signal != SIGCHLD)
                        signal_set(signal, SIG_IGN);
        seen = (void *)mmap(0, PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS);
        toll_call(NUMBER_toll_fence, 0);
        if (!zoo_find())
                return -ENOENT;
        total = (uint32_t)-1;
        find(&total, &none);
        total += total % STRIDE == 0;
        return 0;
}

static uint32_t whole(void)
{
        return total;
}

static void handle(int signal)
{
        (void)signal;
}

/* In a session of its own, in a directory of its own; the console is for people. */
static void begin(void)
{
        static const int caught[] = {SIGALRM, SIGHUP,  SIGINT,  SIGQUIT, SIGTSTP,
                                     SIGTTIN, SIGTTOU, SIGPIPE, SIGCONT, SIGWINCH};
        const long interval[] = {0, TICK, 0, TICK}, scarce[] = {SCARCE, SCARCE};
        const int null = (int)open("/dev/null", O_RDWR, 0);
        for (int fd = torture_tells ? 3 : 0; fd < REPORT; fd++)
                fd < 3 ? dup2(null, fd) : close(fd);
        setsid();
        mkdir(PLACE, 0700);
        chdir(PLACE);
        mmap(ARENA, ARENA_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED);
        signals_as_at_login();
        for (size_t i = 0; i < COUNT(caught); i++)
                signal_act(caught[i], handle, 0, 0);
        SYS(setitimer, 0, interval, NULL);
        zoo_open();
        SYS(setrlimit, RLIMIT_RSS, scarce);
}

static void end(void)
{
        wild_bury();
        steps_end(PLACE);
        toll_call(NUMBER_toll_fence, 0);
        zoo_mend();
}

static void outcome_name(unsigned outcome, char *to, unsigned size)
{
        snprintf(to, size, outcome ? "error %u" : "success", outcome);
}

const struct kind kind_hostile = {
        .name = "hostile",
        .init = init,
        .act = act,
        .outcome_name = outcome_name,
        .varied = 8,
        .chunk = 25,
        .limit = 30000,
        .asked = true,
        .trusted = true,
        .whole = whole,
        .begin = begin,
        .beside = beside,
        .harm = harm,
        .end = end,
};
