/* processes.c - Linux's guarantees for processes: fork copies, threads share, wait reports the end,
 * execve keeps part of the state, the timer ends turns. Runs on Linux, too. */
#include "linux.h"
#include "signals.h"

#define THREAD (CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD)

static volatile int shared;
static volatile uintptr_t nowhere = 16; /* an address in page 0 */
static const char *self;
static const struct timespec moment = {0, 20000};

/* The kernel is Tollgate. */
static bool is_ours(void)
{
        return SYS(toll_row, 0, 0) != -ENOSYS;
}

static int status_of(long pid)
{
        int status = -1;
        return wait4(pid, &status, 0, NULL) == pid ? status : -1;
}

static void try_fork(void)
{
        shared = 1;
        long child = fork();
        if (!child) {
                shared = 2;
                exit_group(shared == 2 && getpid() != getppid() ? 42 : 1);
        }
        int status = status_of(child);
        check(status == 42 << 8, "fork", "child %s, wait status %x",
              child > 0 ? "made" : "not made", (unsigned)status);
        check(shared == 1, "fork", "what the child wrote stays the child's: %d", shared);
        check(wait4(-1, NULL, 0, NULL) == -ECHILD, "wait", "without a child: %ld",
              wait4(-1, NULL, 0, NULL));
        check(wait4(-1, NULL, 77, NULL) == -EINVAL, "wait", "options unknown: %ld",
              wait4(-1, NULL, 77, NULL));
}

static void try_death(void)
{
        long child = fork();
        if (!child) {
                *(volatile int *)nowhere = 1;
                exit_group(0);
        }
        int status = status_of(child);
        check((status & 0x7f) == SIGSEGV, "wait", "a child that wrote to address 16: %x",
              (unsigned)status);
}

/* Two processes that never give up the processor: both must advance. */
static void try_turns(void)
{
        long child = fork();
        if (!child)
                for (;;)
                        shared++;
        const struct timespec turns = {0, 50000000};
        long result = nanosleep(&turns, NULL);
        int running = (int)wait4(child, NULL, WNOHANG, NULL);
        long killed = kill(child, SIGKILL);
        int status = status_of(child);
        check(!result && !running && !killed && (status & 0x7f) == SIGKILL, "turns",
              "slept beside a busy child: %ld, %d, %ld, %x", result, running, killed,
              (unsigned)status);
}

static uint8_t stack[16384] __attribute__((aligned(16)));
static volatile int thread_tid, ready;

static void thread(void)
{
        shared = 99;
        ready = 1;
        system_call(NUMBER_futex, &ready, FUTEX_WAKE, 1);
        system_call(NUMBER_exit, 0);
}

static void try_threads(void)
{
        shared = ready = 0;
        thread_tid = -1;
        long flags = THREAD | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID;
        long tid = thread_start(flags, stack + sizeof stack, (void *)&thread_tid, thread);
        while (!ready)
                system_call(NUMBER_futex, &ready, FUTEX_WAIT, 0);
        int left = thread_tid;
        while ((left = thread_tid))
                system_call(NUMBER_futex, &thread_tid, FUTEX_WAIT, left);
        check(tid > 0 && shared == 99, "clone", "a thread wrote what this one reads: %d", shared);
        check(wait4(-1, NULL, 0, NULL) == -ECHILD, "clone", "a thread is no child: %ld",
              wait4(-1, NULL, 0, NULL));
        long bad = system_call(NUMBER_clone, CLONE_THREAD);
        check(bad == -EINVAL, "clone", "a thread without shared handlers: %ld", bad);
}

/* A thread changes its directory, mask and group, which it shares with the process, except (no
 * CLONE_FS) the first two. */
static void move(void)
{
        chdir("/dev");
        system_call(NUMBER_umask, 027);
        setpgid(0, 0);
        system_call(NUMBER_exit, 0);
}

static void start_and_wait(long flags)
{
        thread_tid = -1;
        thread_start(flags | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID, stack + sizeof stack,
                     (void *)&thread_tid, move);
        for (int left; (left = thread_tid);)
                system_call(NUMBER_futex, &thread_tid, FUTEX_WAIT, left);
}

/* Returns, in a child that leads no group yet: bit 0: its directory changed; bit 1: its umask; bit
 * 2: its group. */
static int moved_by_thread(long flags)
{
        long child = fork();
        if (!child) {
                char where[64];
                chdir("/");
                system_call(NUMBER_umask, 022);
                start_and_wait(flags);
                system_call(NUMBER_getcwd, where, sizeof where);
                exit_group((strcmp(where, "/dev") == 0) |
                           (system_call(NUMBER_umask, 0) == 027) << 1 |
                           (system_call(NUMBER_getpgid, 0) == getpid()) << 2);
        }
        return status_of(child) >> 8;
}

static void try_moves(void)
{
        int all = moved_by_thread(THREAD), group = moved_by_thread(THREAD & ~CLONE_FS);
        check(all == 7, "clone", "a thread's chdir, umask and setpgid are its process's: %d", all);
        check(group == 4, "clone", "without CLONE_FS its setpgid alone: %d", group);
}

static int beats[2];

static void beat(void)
{
        for (;;) {
                write(beats[1], ".", 1);
                sleep_ms(1);
        }
}

/* SIGSTOP stops the whole program: its other thread has no heart beat until SIGCONT. */
static void try_stop(void)
{
        char c = 0;
        int status = -1, between = 0;
        pipe(beats);
        long child = fork();
        if (!child) {
                thread_start(THREAD, stack + sizeof stack, NULL, beat);
                for (;;)
                        pause();
        }
        read(beats[0], &c, 1);
        kill(child, SIGSTOP);
        wait4(child, &status, WUNTRACED, NULL);
        check(status == (SIGSTOP << 8 | 0x7f), "SIGSTOP", "of two threads: %x", (unsigned)status);
        sleep_ms(30);
        write(beats[1], "(", 1);
        sleep_ms(100);
        write(beats[1], ")", 1);
        while (c != '(')
                read(beats[0], &c, 1);
        for (; c != ')'; between += c == '.')
                read(beats[0], &c, 1);
        check(!between, "SIGSTOP", "%d beats of the other thread", between);
        kill(child, SIGCONT);
        read(beats[0], &c, 1);
        check(c == '.', "SIGCONT", "it beats again: %c", c);
        kill(child, SIGSTOP);
        wait4(child, &status, WUNTRACED, NULL);
        kill(child, SIGKILL);
        check(status_of(child) == SIGKILL, "SIGKILL", "ends two threads that are stopped");
        close(beats[0]);
        close(beats[1]);
}

/* The first thread blocks SIGTSTP, or waits in vfork(), so the other one takes the stop. */
static void try_stop_of_another(bool in_vfork)
{
        char c = 0;
        int status = SIGSTOP << 8 | 0x7f;
        pipe(beats);
        long child = fork();
        if (!child) {
                thread_start(THREAD, stack + sizeof stack, NULL, beat);
                if (in_vfork && !SYS(clone, CLONE_VFORK | SIGCHLD, 0, 0, 0, 0))
                        sleep_ms(3000), exit_group(0);
                signal_mask(SIG_BLOCK, SIGNAL_BIT(SIGTSTP));
                sleep_for_ever();
        }
        read(beats[0], &c, 1);
        sleep_ms(20);
        int64_t began = monotonic_now();
        kill(child, in_vfork ? SIGSTOP : SIGTSTP);
        if (in_vfork)
                wait4(child, &status, WUNTRACED, NULL);
        bool soon = !in_vfork || monotonic_now() - began < 2000000000;
        kill(child, SIGCONT);
        for (write(beats[1], "(", 1); c != '(';)
                read(beats[0], &c, 1);
        read(beats[0], &c, 1);
        check(soon && c == '.' && status == (SIGSTOP << 8 | 0x7f), "SIGCONT",
              "it beats again: %c, %x", c, (unsigned)status);
        kill(child, SIGKILL);
        status_of(child);
        close(beats[0]), close(beats[1]);
}

/* A call that is restarted, and does not sleep then, leaves its end to no other sleep. */
static void try_restart(void)
{
        volatile int *word =
                (volatile int *)mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS);
        const struct timespec span = {20, 0};
        *word = 0;
        long child = fork();
        if (!child) {
                SYS(futex, word, FUTEX_WAIT, 0, &span);
                int64_t began = monotonic_now();
                sleep_ms(10);
                exit_group(is_ours() && monotonic_now() - began > 5000000000);
        }
        until_asleep(child);
        kill(child, SIGSTOP);
        wait4(child, NULL, WUNTRACED, NULL);
        *word = 1;
        kill(child, SIGCONT);
        check(!status_of(child), "a sleep", "behind a call that was restarted");
}

/* A file without a name whose pages are so far apart that freeing it takes long. */
static void open_far(void)
{
        int file = (int)open("/tmp/far", O_CREAT | O_RDWR, 0600);
        unlink("/tmp/far");
        for (long at = 0; at < 1 << 30; at += 2 << 20) {
                system_call(NUMBER_lseek, file, at, SEEK_SET);
                write(file, ".", 1);
        }
        system_call(NUMBER_fcntl, file, F_DUPFD, 128); /* freeing a near one ends no turn */
        close(file);
}

static void open_and_end(void)
{
        open_far();
        exit_group(0);
}

/* Two threads end at once, each while the other closes files of its own. The child of their process
 * must get a new parent that can wait for it; both threads are reaped automatically. */
static void try_heir(void)
{
        int child = 0, status = 0;
        if (system_call(NUMBER_toll_row, 0, 0) == -ENOSYS)
                return; /* another process adopts it there */
        pipe(beats);
        long parent = fork();
        if (!parent) {
                if (!fork()) {
                        child = (int)getpid();
                        write(beats[1], &child, sizeof child);
                        for (;;)
                                nanosleep(&moment, NULL); /* closing each end may end a turn */
                }
                open_far();
                thread_start(THREAD & ~CLONE_FILES, stack + sizeof stack, NULL, open_and_end);
                for (;;)
                        pause();
        }
        read(beats[0], &child, sizeof child);
        while (!wait4(parent, &status, WNOHANG, NULL))
                system_call(NUMBER_toll_hand, parent, 1);
        kill(child, SIGKILL);
        check(!status && status_of(child) == SIGKILL, "heir",
              "of a process whose threads end at once");
}

static int run(const char *path, const char *const arguments[], const char *const variables[])
{
        long child = fork();
        if (!child) {
                long error = system_call(NUMBER_execve, path, arguments, variables);
                exit_group(error == -ENOENT    ? 101
                           : error == -EFAULT  ? 102
                           : error == -E2BIG   ? 103
                           : error == -ENOEXEC ? 104
                           : error == -EACCES  ? 105
                                               : 106);
        }
        return status_of(child);
}

static char *left; /* a character for each further program */

static void go_on(void)
{
        char *const arguments[] = {(char *)self, "chain", left, NULL};
        system_call(NUMBER_sched_yield);
        execve(self, arguments, arguments + 3);
        exit_group(1);
}

/* The first thread has ended when another one starts the next program. */
static int chain(char *rest)
{
        left = rest + 1;
        if (*rest && thread_start(THREAD, stack + sizeof stack, NULL, go_on) > 0)
                system_call(NUMBER_exit, 0);
        return *rest ? 56 : 55;
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
        char more[220] = "";
        memset(more, '.', sizeof more - 1);
        status = run(self, (const char *[]){self, "chain", more, NULL}, variables);
        check(status == 55 << 8, "execve", "by a second thread, often: %x", (unsigned)status);
        thread_tid = -1;
        left = "";
        wait4(thread_start(CLONE_VM | CLONE_CHILD_CLEARTID | SIGCHLD, stack + sizeof stack,
                           (void *)&thread_tid, go_on),
              &status, 0, NULL);
        check(!thread_tid, "execve", "the word of a child in this memory: %d", (int)thread_tid);
}

/* The results on Linux without CAP_SYS_RAWIO (arch/x86/kernel/ioport.c). There root has it. */
static void try_ports(void)
{
        static const struct {
                unsigned number;
                long arguments[3], answer;
        } asked[] = {{NUMBER_iopl, {0}, 0},
                     {NUMBER_iopl, {1}, -EPERM},
                     {NUMBER_iopl, {3}, -EPERM},
                     {NUMBER_iopl, {4}, -EINVAL},
                     {NUMBER_ioperm, {0x80, 1, 1}, -EPERM},
                     {NUMBER_ioperm, {0x80, 1, 0}, 0},
                     {NUMBER_ioperm, {65535, 1, 1}, -EPERM},
                     {NUMBER_ioperm, {65535, 2, 1}, -EINVAL},
                     {NUMBER_ioperm, {65536, 1, 0}, -EINVAL},
                     {NUMBER_ioperm, {0x80, 0, 0}, -EINVAL},
                     {NUMBER_ioperm, {-1, 2, 0}, -EINVAL}};
        if (!is_ours())
                return;
        for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
                const long *a = asked[i].arguments;
                long answer = system_call(asked[i].number, a[0], a[1], a[2]);
                check(answer == asked[i].answer, "ports", "%ld for call %u of %ld, %ld, %ld",
                      answer, asked[i].number, a[0], a[1], a[2]);
        }
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
        if (argc > 2 && !strcmp(argv[1], "chain"))
                return chain(argv[2]);
        try_fork();
        try_death();
        try_turns();
        try_threads();
        try_moves();
        try_stop();
        try_stop_of_another(false);
        if (is_ours()) /* Linux tells the parent when the first thread has stopped, too */
                try_stop_of_another(true);
        try_restart();
        try_heir();
        try_execve();
        try_ports();
        return check_status();
}
