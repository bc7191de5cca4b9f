/* crowd.c - random threads and processes: they create each other, send each other signals, stop and
 * kill each other, sleep, run another program, and share memory, files and handlers. Each process
 * has a timer of 20 us or more, and much memory: calls on it give others their turns before they
 * are done. Their results are not checked: the machine must survive, and all their resources must
 * be freed. */
#include "clean.h"
#include "linux.h"
#include "signals.h"
#include "torture.h"

#define THREAD (CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD)
#define PROCESSES 6 /* alive at the same time */
#define STACKS 6
#define STACK 8192
#define PLACE "/tmp/crowd"
#define MUCH 0x40000000ul
#define MUCH_PAGES 1088u
#define TICK 20   /* microseconds, up to eight times as many */
#define REPORT 63 /* main.c has its pipe there */
#define FIRST_FD 22
#define FAR 100 /* where no descriptor is closed */
#define RLIMIT_NOFILE 7
#define LIFE 100 /* deeds of a crowd's first */

/* Memory shared by all of them. */
static struct {
        volatile long pids[PROCESSES], last; /* the youngest that anybody has made */
        volatile uint32_t word;
        uint32_t favourites[4]; /* of a crowd: deeds that it does again and again, and calls */
} * all;

static uint8_t stacks[STACKS][STACK] __attribute__((aligned(STACK)));
static struct random randoms[STACKS];
static volatile int tids[STACKS]; /* 0 = nobody runs on that stack */
static int ends[2], zero, file;
static long first; /* of a crowd: it ends by itself */

static _Noreturn void live(struct random *random);

/* Whose stack this is; STACKS and more: a process's own. */
static uintptr_t stack_number(void)
{
        return ((uintptr_t)__builtin_frame_address(0) - (uintptr_t)stacks) / STACK;
}

static void begin_thread(void)
{
        live(&randoms[stack_number()]);
}

static void start_timer(struct random *random)
{
        const long tick = TICK << random_below(random, 4), interval[] = {0, tick, 0, tick};
        SYS(setitimer, 0, interval, NULL);
}

static void make_thread(struct random *random)
{
        static const long flags[] = {THREAD, THREAD, CLONE_VM | CLONE_SIGHAND | SIGCHLD,
                                     CLONE_VM | CLONE_FILES | CLONE_FS | SIGCHLD};
        unsigned which = random_below(random, STACKS);
        if (__atomic_exchange_n(&tids[which], 1, __ATOMIC_SEQ_CST))
                return;
        randoms[which] = random_of(random_next(random), which);
        long tid = thread_start(flags[random_below(random, 4)] | CLONE_PARENT_SETTID |
                                        CLONE_CHILD_CLEARTID,
                                stacks[which] + STACK, (int *)&tids[which], begin_thread);
        if (tid < 0)
                tids[which] = 0;
        else
                all->last = tid;
}

/* In the place of another one. */
static void make_process(struct random *random)
{
        unsigned which = random_below(random, PROCESSES);
        struct random other = random_of(random_next(random), which);
        if (all->pids[which])
                kill(all->pids[which], SIGKILL);
        long pid = SYS(fork);
        if (!pid) {
                for (unsigned i = 0; i < STACKS; i++)
                        tids[i] = i == stack_number();
                start_timer(random);
                live(&other);
        }
        if (pid > 0)
                all->last = all->pids[which] = pid;
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
        wait4(-1, NULL, random_below(random, 8) ? WNOHANG | WUNTRACED : 0, NULL);
}

static void sleep_somehow(struct random *random)
{
        const struct timespec moment = {0, (long)random_below(random, 60000)};
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

/* Memory of which calls are long, in parts and all of it; parts move behind it. */
static void change_memory(struct random *random)
{
        static const int accesses[] = {PROT_READ, PROT_READ | PROT_WRITE, PROT_READ | PROT_WRITE,
                                       0};
        const int access = accesses[random_below(random, 4)];
        const size_t all_size = MUCH_PAGES * PAGE_SIZE,
                     part = PAGE_SIZE * (1 + random_below(random, 32)),
                     size = random_below(random, 2) ? PAGE_SIZE * random_below(random, MUCH_PAGES)
                                                    : part;
        const uintptr_t at = MUCH + PAGE_SIZE * random_below(random, MUCH_PAGES),
                        to = MUCH + PAGE_SIZE * (MUCH_PAGES + random_below(random, MUCH_PAGES));
        const int flags = MAP_FIXED | (random_below(random, 4) ? MAP_PRIVATE : MAP_SHARED);
        switch (random_below(random, 2) ? all->favourites[random_below(random, 2)] & 15
                                        : random_below(random, 16)) {
        case 0: mmap(at, size, access, MAP_ANONYMOUS | flags); break;
        case 1: system_call(LIBC_mmap, at, size, access, flags, file, 0); break;
        case 2: munmap(at, size); break;
        case 3: madvise(at, size, MADV_DONTNEED); break;
        case 4: SYS(ftruncate, file, random_below(random, 2) * size); break;
        case 5:
        case 6:
        case 7:
        case 8: SYS(mremap, at, part, size, MREMAP_MAYMOVE | MREMAP_FIXED, to); break;
        case 9: mprotect(at, size, access); break;
        default: /* with no hole, where it would end */
                mmap(MUCH, all_size, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED);
                SYS(pread64, zero, MUCH, all_size, 0);
                mprotect(MUCH, all_size, PROT_READ);
        }
}

/* Numbers that somebody has had, has, or will have. */
static void look_for_others(struct random *random)
{
        const unsigned what = random_below(random, 6);
        for (long who = all->last - 2; who < all->last + 4; who++) {
                uint64_t limits[2];
                char name[24], text[256];
                if (who <= first)
                        continue;
                switch (what) {
                case 0: SYS(prlimit64, who, RLIMIT_NOFILE, NULL, limits); break;
                case 1: SYS(tkill, who, 0); break;
                case 2: SYS(tkill, who, SIGUSR1); break;
                case 3: toll_hand(who, 1); break;
                case 4: kill(who, 0); break;
                default:
                        snprintf(name, sizeof name, "/proc/%ld/%s", who,
                                 who & 1 ? "maps" : "status");
                        const int fd = (int)open(name, O_RDONLY, 0);
                        while (read(fd, text, sizeof text) > 0)
                                ;
                        close(fd);
                }
        }
}

/* Both ends of a terminal, among descriptors that some of them share. */
static void use_terminal(struct random *random)
{
        char name[16];
        const int unlocked = 0, fd = FIRST_FD + (int)random_below(random, 64);
        snprintf(name, sizeof name, "/dev/pts/%u", random_below(random, 4));
        switch (random_below(random, 6)) {
        case 0:
                close(fd);
                ioctl((int)open("/dev/ptmx", O_RDWR | O_NONBLOCK, 0), TIOCSPTLCK,
                      (void *)&unlocked);
                break;
        case 1: open(name, O_RDWR | O_NONBLOCK, 0); break;
        case 2: write(fd, "a\3b\n", 4); break;
        case 3: ioctl(fd, TIOCSCTTY, NULL); break;
        case 4: SYS(fcntl, fd, F_DUPFD, 2 * FAR + random_below(random, 800)); break;
        default: close(fd);
        }
}

static void execute(void)
{
        char *arguments[] = {"torture", "inherited", NULL}, *environment[] = {NULL};
        execve("/proc/self/exe", arguments, environment);
}

static void leave(struct random *random)
{
        if (random_below(random, 2))
                SYS(exit, random_below(random, 256));
        exit_group((int)random_below(random, 256));
}

/* Unblocks all signals, so that a process can be told to end. */
static void deed(struct random *random)
{
        const uint32_t favourite = all->favourites[random_below(random, 4)] >> 26;
        const unsigned which = random_below(random, 2) ? favourite : random_below(random, 64);
        if (which == 0 || which > 58)
                make_thread(random);
        else if (which < 4)
                make_process(random);
        else if (which < 6)
                signal_somebody(random);
        else if (which < 10)
                wait_for_somebody(random);
        else if (which < 22)
                sleep_somehow(random);
        else if (which < 26)
                change(random);
        else if (which == 26 && !random_below(random, 4) && getpid() != first)
                execute();
        else if (which == 27 && !random_below(random, 4) && getpid() != first)
                leave(random);
        else if (which < 45)
                change_memory(random);
        else if (which < 52)
                look_for_others(random);
        else
                use_terminal(random);
}

static _Noreturn void live(struct random *random)
{
        for (;;)
                deed(random);
}

static unsigned crowd(struct random *random)
{
        first = getpid();
        setsid();
        close(REPORT);
        all = (void *)mmap(0, PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS);
        mkdir(PLACE, 0700);
        chdir(PLACE);
        pipe(ends);
        signals_as_at_login();
        all->last = first;
        for (unsigned i = 0; i < sizeof all->favourites / sizeof *all->favourites; i++)
                all->favourites[i] = random_next(random);
        zero = (int)SYS(fcntl, open("/dev/zero", O_RDONLY, 0), F_DUPFD, FAR);
        file = (int)SYS(fcntl, open("much", O_RDWR | O_CREAT, 0700), F_DUPFD, FAR);
        signal_act(SIGALRM, handle, 0, 0);
        start_timer(random);
        for (unsigned i = 0; i < LIFE; i++)
                deed(random);
        return 0;
}

static long init(void)
{
        mkdir("/tmp", 0777);
        return system_call(NUMBER_toll_sum) == -ENOSYS ? -ENOSYS : 0;
}

static void end(void)
{
        clean_processes();
        clean_files(PLACE);
}

const struct row crowd_row = {.name = "crowd",
                              .init = init,
                              .act = crowd,
                              .asked = true,
                              .chunk = 1,
                              .limit = 100,
                              .end = end};
