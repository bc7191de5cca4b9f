/* races.c - two threads or processes use the same object: while a call sleeps, its arguments are
 * freed or changed. The call returns as on Linux, or only its process ends. */
#include "attack.h"
#include "child.h"
#include "signals.h"

#define THREAD (CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD)
#define THREADS 4
#define STACK 16384
#define LIMIT 20000 /* milliseconds */
#define QUEUED 40   /* a real-time signal */
#define QUEUE_MOST 40000

static uint8_t stacks[THREADS][STACK] __attribute__((aligned(16)));
static int ends[2];
static char *page;
static volatile long answer;
static volatile int there, turn;
static uintptr_t vectors[4];

static char *map(size_t pages)
{
        return (char *)call(LIBC_mmap, 0, pages * PAGE, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1);
}

static void doze(void)
{
        const struct timespec moment = {0, 20000000};
        call(NUMBER_nanosleep, &moment);
}

static _Noreturn void leave_thread(void)
{
        for (;;)
                call(NUMBER_exit, 0);
}

static void start(unsigned which, void (*run)(void))
{
        if (thread_start(THREAD, stacks[which] + STACK, NULL, run) < 0)
                wrong("no thread");
}

/* Starts a thread that sleeps in a call, and returns when it must be asleep. */
static void asleep_in(void (*run)(void))
{
        call(NUMBER_pipe, ends);
        start(0, run);
        while (!there)
                call(NUMBER_sched_yield);
        doze();
}

static void returned(const char *what, long one, long other)
{
        for (int i = 0; i < 100 && !turn; i++)
                doze();
        if (!turn)
                wrong("%s has not come back", what);
        if (answer != one && answer != other)
                wrong("%s answered %ld", what, answer);
}

static void read_page(void)
{
        there = 1;
        answer = call(NUMBER_read, ends[0], page, 8);
        turn = 1;
        leave_thread();
}

static void close_under_read(uintptr_t unused)
{
        page = map(1);
        asleep_in(read_page);
        call(NUMBER_close, ends[0]);
        call(NUMBER_close, ends[1]);
        returned("read", 0, 0);
}

static void unmap_under_read(uintptr_t unused)
{
        page = map(1);
        asleep_in(read_page);
        call(NUMBER_munmap, page, PAGE);
        call(NUMBER_write, ends[1], "12345678", 8);
        returned("read", -EFAULT, -EFAULT);
}

static void poll_pipe(void)
{
        uint32_t asked[2] = {(uint32_t)ends[0], 1};
        there = 1;
        answer = call(NUMBER_poll, asked, 1, 300);
        turn = 1;
        leave_thread();
}

static void close_under_poll(uintptr_t unused)
{
        int more[2];
        asleep_in(poll_pipe);
        call(NUMBER_close, ends[0]);
        call(NUMBER_close, ends[1]);
        for (int i = 0; i < 8; i++)
                call(NUMBER_pipe, more); /* the same descriptors and memory */
        returned("poll", 1, 0);
}

static void read_vectors(void)
{
        there = 1;
        answer = call(NUMBER_readv, ends[0], vectors, 2);
        turn = 1;
        leave_thread();
}

/* The second buffer is checked during the wait for the first, then made a kernel address. */
static void vectors_under_readv(uintptr_t unused)
{
        page = map(1);
        vectors[0] = vectors[2] = (uintptr_t)page;
        vectors[1] = vectors[3] = 4;
        asleep_in(read_vectors);
        vectors[2] = address_given();
        vectors[3] = (uintptr_t)-1 >> 1;
        call(NUMBER_write, ends[1], "12345678", 8);
        returned("readv", 4, 8);
}

static void execute(void)
{
        char *arguments[] = {words[0], "inherited", NULL};
        while (!turn)
                call(NUMBER_sched_yield);
        call(NUMBER_execve, words[0], arguments, arguments + 2);
        leave_thread();
}

static void end_all(void)
{
        while (!turn)
                call(NUMBER_sched_yield);
        call(NUMBER_exit_group, 0);
}

static void fork_and_end(void)
{
        while (!turn)
                call(NUMBER_sched_yield);
        if (!call(NUMBER_fork))
                call(NUMBER_exit_group, 0);
        leave_thread();
}

/* Threads execute, exit, fork and end at the same time, in every order. */
static void all_at_once(uintptr_t rounds)
{
        static void (*const deeds[])(void) = {execute, end_all, fork_and_end, execute};
        for (uintptr_t round = 0; round < rounds; round++) {
                long pid = call(NUMBER_fork);
                if (!pid) {
                        for (unsigned i = 0; i < THREADS; i++)
                                start(i, deeds[(i + round) % THREADS]);
                        turn = 1;
                        leave_thread();
                }
                int status = child_wait(pid, LIMIT);
                if (status)
                        wrong("round %u ended with %x", (unsigned)round, (unsigned)status);
        }
}

/* A vfork child unmaps memory that its parent uses; another kills its parent and continues. Parent
 * and child share a stack: the child may leave no data on it. */
static void borrowed(uintptr_t kills)
{
        static long borrower;
        page = map(1);
        *page = 1;
        long pid = call(NUMBER_fork);
        if (!pid) {
                borrower = call(NUMBER_vfork);
                if (!borrower) {
                        if (kills)
                                call(NUMBER_kill, call(NUMBER_getppid), SIGKILL);
                        call(NUMBER_munmap, page, PAGE);
                        call(NUMBER_exit_group, 0);
                }
                call(NUMBER_pipe, ends);
                call(NUMBER_exit_group, call(NUMBER_write, ends[1], page, 1) == -EFAULT ? 0 : 1);
        }
        int status = child_wait(pid, LIMIT);
        if (status != (kills ? SIGKILL : 0))
                wrong("the parent ended with %x", (unsigned)status);
}

/* Entries are removed during a listing, then the directory, which is also the current one. */
static void directory_under_reader(uintptr_t unused)
{
        char name[32], place[48];
        long part, fd;
        snprintf(place, sizeof place, "/tmp/race-%ld", call(NUMBER_getpid));
        call(NUMBER_mkdir, "/tmp", 0777);
        if (call(NUMBER_mkdir, place, 0700) || call(NUMBER_chdir, place))
                wrong("no directory");
        for (int i = 0; i < 60; i++) {
                snprintf(name, sizeof name, "%d", i);
                call(NUMBER_close, call(NUMBER_open, name, O_CREAT | O_WRONLY, 0600));
        }
        fd = call(NUMBER_open, ".", O_RDONLY);
        page = map(1);
        for (int i = 0; (part = call(NUMBER_getdents64, fd, page, 80)) > 0; i++)
                for (int gone = 0; gone < 8; gone++) {
                        snprintf(name, sizeof name, "%d", (i * 8 + gone) % 60);
                        call(NUMBER_unlink, name);
                }
        if (part)
                wrong("getdents64 answered %ld", part);
        for (int i = 0; i < 60; i++) {
                snprintf(name, sizeof name, "%d", i);
                call(NUMBER_unlink, name);
        }
        if (call(NUMBER_rmdir, place))
                wrong("rmdir");
        if (call(NUMBER_open, "new", O_CREAT | O_WRONLY, 0600) != -ENOENT ||
            call(NUMBER_mkdir, "new", 0700) != -ENOENT ||
            call(NUMBER_getdents64, fd, page, PAGE) != -ENOENT)
                wrong("there is something in what is gone");
}

/* A bad address for the thread id that is zeroed at its end. */
static void bad_clear_tid(uintptr_t unused)
{
        const uintptr_t places[] = {address_given(), 8, (uintptr_t)-2, (uintptr_t)all_at_once};
        for (unsigned i = 0; i < sizeof places / sizeof *places; i++) {
                thread_start(THREAD | CLONE_CHILD_CLEARTID, stacks[i] + STACK, (int *)places[i],
                             leave_thread);
                doze();
        }
}

/* Queues blocked signals until there is no room; another process must still have as much room. */
static void queue_signals(uintptr_t rounds)
{
        const uint64_t set = 1ull << (QUEUED - 1);
        unsigned first = 0;
        for (uintptr_t round = 0; round < rounds; round++) {
                long pid = call(NUMBER_fork);
                if (!pid) {
                        struct {
                                int signal, error, code, rest[29];
                        } info = {QUEUED, 0, -1, {0}};
                        unsigned n = 0;
                        call(NUMBER_rt_sigprocmask, SIG_BLOCK, &set, 0, sizeof set);
                        while (n < QUEUE_MOST &&
                               !call(NUMBER_rt_sigqueueinfo, call(NUMBER_getpid), QUEUED, &info))
                                n++;
                        call(NUMBER_exit_group, n > 200 ? 200 : n);
                }
                unsigned n = CHILD_STATUS(child_wait(pid, LIMIT));
                first = round ? first : n;
                if (!n || n != first)
                        wrong("%u were queued, then %u", first, n);
        }
}

static void fault_again(int signal)
{
        *(volatile int *)page = 1; /* nowhere */
}

/* A fault in a fault's handler, on the current stack or on an unmapped one. */
static void fault_in_fault(uintptr_t nowhere)
{
        const struct sigaltstack stack = {nowhere ? address_given() & ~(uintptr_t)15 : 0,
                                          nowhere ? 0 : SS_DISABLE, (uintptr_t)-1 >> 1};
        call(NUMBER_sigaltstack, &stack);
        signal_act(SIGSEGV, fault_again, SA_NODEFER | (nowhere ? SA_ONSTACK : 0), 0);
        fault_again(0);
}

static void sleep_on(void)
{
        there = 1;
        for (;;)
                call(NUMBER_read, ends[0], page, 8);
}

/* A process is stopped, continued and killed while its threads sleep. */
static void stop_and_go(uintptr_t rounds)
{
        long pid = call(NUMBER_fork);
        if (!pid) {
                page = map(1);
                asleep_in(sleep_on);
                sleep_on();
        }
        for (uintptr_t i = 0; i < rounds; i++)
                call(NUMBER_kill, pid, i % 2 ? SIGCONT : SIGSTOP);
        call(NUMBER_kill, pid, SIGSTOP);
        call(NUMBER_kill, pid, SIGKILL);
        if (child_wait(pid, LIMIT) != SIGKILL)
                wrong("it was not killed");
}

#define MANY 600

static void unmap_many(void)
{
        for (unsigned round = 0; round < 20; round++) {
                char *many = map(MANY);
                for (unsigned i = 0; i < MANY; i += 2) /* areas */
                        call(NUMBER_mprotect, many + i * PAGE, PAGE, PROT_READ);
                call(NUMBER_munmap, many, MANY * PAGE);
        }
        turn = 1;
        leave_thread();
}

/* What one thread maps stays while another unmaps what was there before. */
static void map_under_unmap(uintptr_t unused)
{
        start(0, unmap_many);
        for (unsigned pages = 1; !turn; pages = pages % 8 + 1) { /* not always in the same hole */
                page = map(pages);
                *page = 1;
                call(NUMBER_sched_yield);
                if (*page != 1)
                        wrong("another page is there");
                call(NUMBER_munmap, page, pages * PAGE);
        }
}

/* The code that makes the call is unmapped by it. */
static void unmap_itself(uintptr_t unused)
{
        call(NUMBER_munmap, (uintptr_t)unmap_itself & ~(uintptr_t)0xfffff, 16 << 20);
}

static const struct attack races[] = {
        {"race/close_under_read", LIVES, close_under_read, 0},
        {"race/unmap_under_read", LIVES, unmap_under_read, 0},
        {"race/close_under_poll", LIVES, close_under_poll, 0},
        {"race/map_under_unmap", LIVES, map_under_unmap, 0},
        {"race/vectors_under_readv", LIVES, vectors_under_readv, 0},
        {"race/all_at_once", LIVES, all_at_once, 24},
        {"race/borrowed_memory", LIVES, borrowed, 0},
        {"race/borrowed_from_the_dead", LIVES, borrowed, 1},
        {"race/directory_under_reader", LIVES, directory_under_reader, 0},
        {"race/clear_tid", LIVES, bad_clear_tid, 0},
        {"race/signal_queue", LIVES, queue_signals, 4},
        {"race/fault_in_fault", SEGV, fault_in_fault, 0},
        {"race/fault_on_no_stack", SEGV, fault_in_fault, 1},
        {"race/stop_and_go", LIVES, stop_and_go, 200},
        {"race/unmap_itself", SEGV, unmap_itself, 0}};

static unsigned count(void)
{
        return sizeof races / sizeof *races;
}

static void at(unsigned i, struct attack *attack, char name[ATTACK_NAME])
{
        *attack = races[i];
}

const struct row races_row = {.name = "races", .at = at, .whole = count};
