/* processes.c - processes, threads, programs, signals: how they come and how they end. */
#include "leaks.h"
#include "signals.h"

static void nothing(void)
{
}

static void forks(void)
{
        in_child(nothing);
}

/* The child's calls write over the return address on the stack that both have, so the parent may
 * come back behind exit_group(), and knows no pid. */
static void vforks(void)
{
        if (!SYS(vfork))
                exit_group(0);
        reap(-1);
}

/* The status has no place: the child is gone all the same. */
static void badly_waited(void)
{
        child_that(nothing);
        wait4(-1, (int *)8, 0, NULL);
}

/* A process that shares memory, files and actions, and has its own stack. */
static void leave(void)
{
        SYS(exit, 0);
}

static void kin(void)
{
        reap(thread_start(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | SIGCHLD, stacks[1],
                          NULL, leave));
        reap(thread_start(CLONE_VM | SIGCHLD, stacks[1], NULL, leave));
}

static void clones_refused(void)
{
        SYS(clone, CLONE_THREAD, 0, 0, 0);
        SYS(clone, CLONE_SIGHAND, 0, 0, 0);
        SYS(clone, 0x20000, 0, 0, 0); /* CLONE_NEWNS */
        SYS(clone, THREAD | CLONE_SETTLS, stacks[1], 8, 8, (uintptr_t)-1 >> 1);
}

static void sleep_on_nothing(void)
{
        static int word;
        for (;;)
                SYS(futex, &word, FUTEX_WAIT, 0, NULL);
}

static void join(volatile int *tid)
{
        int is;
        while ((is = *tid))
                SYS(futex, tid, FUTEX_WAIT, is, NULL);
}

static void threads_come_and_go(void)
{
        static int tids[4];
        for (size_t i = 0; i < 4; i++)
                thread_start(THREAD, stacks[i + 1], &tids[i], leave);
        for (size_t i = 0; i < 4; i++)
                join(&tids[i]);
}

static void with_threads(void)
{
        static int tids[4];
        for (size_t i = 0; i < 4; i++)
                thread_start(THREAD, stacks[i + 1], &tids[i], sleep_on_nothing);
        SYS(sched_yield);
}

static void threads_end_together(void)
{
        in_child(with_threads);
}

static void execute(void)
{
        char *arguments[] = {self, "end", NULL};
        execve(self, arguments, arguments);
}

static void execs(void)
{
        in_child(execute);
}

static void execute_with_threads(void)
{
        with_threads();
        execute();
}

static void execs_with_threads(void)
{
        in_child(execute_with_threads);
}

static void execute_in_thread(void)
{
        static int tid;
        thread_start(THREAD, stacks[1], &tid, execute);
        sleep_on_nothing();
}

static void execs_in_a_thread(void)
{
        in_child(execute_in_thread);
}

/* A mutex of which the kernel is to say that its owner has ended, in a list that leads back to
 * itself; others wait for it, in pages that nobody has touched. */
static void own_mutex(void)
{
        struct {
                void *first;
                long offset;
                void *pending;
                void *next;
                uint32_t futex;
        } *list = (void *)map(2, MAP_PRIVATE);
        list->first = &list->next;
        list->offset = sizeof list->next;
        list->pending = (char *)list + 4096 + 512;
        list->next = &list->next;
        list->futex = (uint32_t)SYS(gettid) | 0x80000000; /* FUTEX_WAITERS */
        SYS(set_robust_list, list, 3 * sizeof(void *));
}

static void own_mutex_and_leave(void)
{
        own_mutex();
        leave();
}

static void own_mutexes(void)
{
        static int tids[4];
        for (size_t i = 0; i < 4; i++)
                thread_start(THREAD, stacks[i + 1], &tids[i], own_mutex_and_leave);
        for (size_t i = 0; i < 4; i++)
                join(&tids[i]);
        own_mutex();
}

static void own_mutexes_and_execute(void)
{
        own_mutexes();
        execute();
}

static void own_nothing(void)
{
        SYS(set_robust_list, 8, 3 * sizeof(void *));
}

static void robust_lists(void)
{
        in_child(own_mutexes);
        in_child(own_mutexes_and_execute);
        in_child(own_nothing);
}

/* A program is refused before its memory is made, and after. */
static void refused_programs(void)
{
        static char *many[600];
        char *one[] = {"x", NULL}, *bad[] = {"x", (char *)8, NULL};
        for (size_t i = 0; i < 599; i++)
                many[i] = "an argument that has a length of two hundred bytes or something of that "
                          "kind, so that all of them together are more than anybody may hand over; "
                          "and here is the end of it: it has been long enough by now, and it ends.";
        many[599] = NULL;
        execve("none", one, one);
        execve("/tmp", one, one);
        execve((const char *)8, one, one);
        execve(self, many, one);
        execve(self, bad, one);
        execve(self, one, bad);
        execve(self, (char *const *)8, one);
}

/* Pieces of this program, which the kernel refuses in a sentence each. */
static void broken_programs(void)
{
        static const size_t places[] = {0, 4, 16, 18, 24, 28, 32, 42, 44, 54, 56, 60, 68, 76};
        static unsigned next;
        long from = open(self, O_RDONLY, 0), to = open("broken", O_CREAT | O_WRONLY, 0755), part;
        size_t flaw = places[next++ % (sizeof places / sizeof *places)];
        for (bool first = true; (part = read((int)from, buffer, sizeof buffer)) > 0;
             first = false) {
                if (first)
                        buffer[flaw] ^= 0x55;
                write((int)to, buffer, (size_t)part);
        }
        close((int)from);
        close((int)to);
        char *one[] = {"broken", "end", NULL};
        long pid = fork();
        if (!pid) {
                execve("broken", one, one);
                exit_group(1);
        }
        reap(pid);
        unlink("broken");
}

static void on_its_stack(int signal)
{
        (void)signal;
}

/* A handler on a stack of its own; signals that wait while it ends; no stack at all. */
static void handle(void)
{
        struct sigaltstack stack = {(uintptr_t)stacks[2], 0, STACK};
        sigaltstack(&stack, NULL);
        signal_act(SIGUSR1, on_its_stack, SA_ONSTACK, 0);
        for (int i = 0; i < 3; i++)
                signal_self(SIGUSR1);
}

static void handlers(void)
{
        in_child(handle);
}

static void collect_signals(void)
{
        signal_mask(SIG_BLOCK, ~0ull);
        for (int signal = 1; signal <= SIGNALS; signal++)
                if (!(SIGNALS_UNBLOCKABLE & SIGNAL_BIT(signal)))
                        for (int i = 0; i < 3; i++)
                                kill(getpid(), signal), tgkill(getpid(), gettid(), signal);
}

static void pending(void)
{
        in_child(collect_signals);
}

static void die_by_signal(void)
{
        signal_self(SIGTERM);
}

static void deaths(void)
{
        in_child(die_by_signal);
}

static void fault(void)
{
        *(volatile int *)NOWHERE = 1;
}

static void no_stack(void)
{
        __asm__ volatile("xor %esp, %esp; push $0");
}

static void handler_without_stack(void)
{
        struct sigaltstack stack = {NOWHERE, 0, STACK};
        sigaltstack(&stack, NULL);
        signal_act(SIGUSR1, on_its_stack, SA_ONSTACK, 0);
        signal_self(SIGUSR1);
}

static void faults(void)
{
        in_child(fault);
        in_child(no_stack);
        in_child(handler_without_stack);
}

static int ends[2];

static void doze(void)
{
        const struct timespec day = {86400, 0};
        nanosleep(&day, NULL);
}

static void read_for_ever(void)
{
        char byte;
        read(ends[0], &byte, 1);
}

static void write_for_ever(void)
{
        for (;;)
                write(ends[1], buffer, sizeof buffer);
}

static void stop(void)
{
        signal_self(SIGSTOP);
}

static void wait_for_a_child(void)
{
        long pid = child_that(doze);
        wait4(pid, NULL, 0, NULL);
}

static void wait_for_a_signal(void)
{
        uint64_t none = 0;
        rt_sigsuspend(&none, sizeof none);
}

static void give_a_word(void)
{
        toll_hand(getppid(), 5);
}

static void compute(void)
{
        for (;;)
                ;
}

/* Children are killed whatever they are doing; their own children are this program's to wait
 * for. */
static void killed(void)
{
        static void (*const deeds[])(void) = {
                doze,        read_for_ever,    write_for_ever,    stop,
                give_a_word, wait_for_a_child, wait_for_a_signal, sleep_on_nothing};
        long pid[sizeof deeds / sizeof *deeds];
        pipe(ends);
        setpgid(0, 0);
        for (size_t i = 0; i < sizeof deeds / sizeof *deeds; i++)
                pid[i] = child_that(deeds[i]);
        for (int i = 0; i < 4; i++)
                SYS(sched_yield);
        for (size_t i = 0; i < sizeof deeds / sizeof *deeds; i++)
                kill(pid[i], SIGKILL);
        for (size_t i = 0; i < sizeof deeds / sizeof *deeds; i++)
                reap(pid[i]);
        kill(-1, SIGKILL);
        while (wait4(-1, NULL, 0, NULL) > 0)
                ;
        close(ends[0]);
        close(ends[1]);
}

static void killed_at_once(void)
{
        long pid = child_that(compute);
        kill(pid, SIGKILL);
        reap(pid);
}

static void have_a_child(void)
{
        child_that(nothing);
        child_that(nothing);
}

static void orphans(void)
{
        in_child(have_a_child);
        while (wait4(-1, NULL, 0, NULL) > 0)
                ;
}

/* A parent that ignores SIGCHLD never waits for its children. */
static void ignore_children(void)
{
        signal_set(SIGCHLD, SIG_IGN);
        for (int i = 0; i < 4; i++)
                child_that(nothing);
        wait4(-1, NULL, 0, NULL);
}

static void ignored(void)
{
        in_child(ignore_children);
}

static void sessions(void)
{
        long pid = child_that(nothing);
        setpgid(pid, pid);
        reap(pid);
        pid = fork();
        if (!pid) {
                setsid();
                exit_group(0);
        }
        reap(pid);
}

/* Makes as many processes as there may be. */
static void breed(void)
{
        long pid;
        do
                pid = child_that(doze);
        while (pid > 0);
        kill(-1, SIGKILL);
        while (wait4(-1, NULL, 0, NULL) > 0)
                ;
}

static void select_rows(void)
{
        struct toll_row row;
        toll_call(NUMBER_toll_register, 1);
        for (long i = 0; !toll_call(NUMBER_toll_row, i, &row); i++)
                if (!row.quiet && !row.alone && !row.missing[0])
                        toll_call(NUMBER_toll_select, i, FLAVOUR_probed);
        toll_call(NUMBER_exit_group, 0);
}

static void rows(void)
{
        in_child(select_rows);
}

const struct leak process_leaks[] = {
        {"fork", forks, 10},
        {"vfork", vforks, 0},
        {"wait without a place", badly_waited, 0},
        {"processes that share", kin, 0},
        {"clone refused", clones_refused, 0},
        {"threads", threads_come_and_go, 0},
        {"threads that end together", threads_end_together, 10},
        {"execve", execs, 10},
        {"execve beside threads", execs_with_threads, 10},
        {"execve in a thread", execs_in_a_thread, 10},
        {"robust lists", robust_lists, 10},
        {"execve refused", refused_programs, 10},
        {"programs refused", broken_programs, 10},
        {"handlers", handlers, 0},
        {"signals that wait at the end", pending, 10},
        {"deaths by signal", deaths, 0},
        {"deaths by fault", faults, 10},
        {"sleepers killed", killed, 10},
        {"killed before it ran", killed_at_once, 100},
        {"orphans", orphans, 10},
        {"children that are ignored", ignored, 10},
        {"groups and sessions", sessions, 0},
        {"as many as there may be", breed, 100},
        {"rows and stamps", rows, 10},
        {NULL, NULL, 0},
};
