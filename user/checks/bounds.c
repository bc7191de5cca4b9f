/* bounds.c - a child reaches every limit in the table of docs/limits.md. Checks the call's error,
 * and that everything is free again when the child has ended. */
#include "child.h"
#include "linux.h"
#include "toll.h"

#define LIMIT 60000 /* milliseconds */
#define QUEUED 40   /* a real-time signal */
#define ARGUMENTS 40
#define FEW 1000  /* names */
#define PIPES 500 /* per process, which has 1,024 descriptors */

static char text[8192];
static uint8_t stack[4096] __attribute__((aligned(16)));

/* The errno of the first refused call, if at least `least` succeeded before. */
static int refused(long result, unsigned done, unsigned least)
{
        return done < least ? 0 : (int)-result;
}

/* It is killed at the first page too many. */
static int pages(void)
{
        long at;
        while ((unsigned long)(at = mmap(0, 1 << 20, PROT_READ | PROT_WRITE,
                                         MAP_ANONYMOUS | MAP_PRIVATE)) <= -4096ul)
                for (unsigned i = 0; i < 256; i++)
                        ((volatile char *)at)[i * 4096] = 1;
        return (int)-at;
}

static int areas(void)
{
        unsigned n = 0;
        long at;
        while ((unsigned long)(at = mmap(0, 4096, n % 2 ? PROT_READ : PROT_READ | PROT_WRITE,
                                         MAP_ANONYMOUS | MAP_PRIVATE)) <= -4096ul)
                n++;
        return refused(at, n, 1000);
}

static int processes(void)
{
        unsigned n = 0;
        long pid;
        while ((pid = fork()) > 0)
                n++;
        if (!pid)
                for (;;)
                        pause();
        signal_set(SIGTERM, SIG_IGN);
        kill(0, SIGTERM);
        while (wait4(-1, NULL, 0, NULL) > 0)
                ;
        return refused(pid, n, 100);
}

static int threads(void)
{
        unsigned n = 0;
        long tid;
        while ((tid = thread_start(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD,
                                   stack + sizeof stack, NULL, sleep_for_ever)) > 0)
                n++;
        return refused(tid, n, 100);
}

static int descriptors(void)
{
        unsigned n = 0;
        long fd;
        while ((fd = SYS(dup, 0)) >= 0)
                n++;
        return refused(fd, n, 1000);
}

static int polled(void)
{
        static struct pollfd all[1025];
        for (unsigned i = 0; i < 1025; i++)
                all[i].fd = 0;
        long answer = SYS(poll, all, 1024, 1);
        return answer < 0 ? 0 : (int)-SYS(poll, all, 1025, 1);
}

/* Each process makes as many as its descriptors allow, and its child makes more. */
static int pairs(long (*make)(int *), unsigned processes_left)
{
        int ends[PIPES][2], status;
        long error = 0;
        unsigned n = 0;
        while (n < PIPES && !(error = make(ends[n])))
                n++;
        if (error || !processes_left)
                return (int)-error;
        long pid = fork();
        if (!pid) {
                for (unsigned i = 0; i < n; i++) {
                        close(ends[i][0]);
                        close(ends[i][1]);
                }
                exit_group(pairs(make, processes_left - 1));
        }
        wait4(pid, &status, 0, NULL);
        return (int)CHILD_STATUS(status);
}

static long make_pipe(int *ends)
{
        return pipe(ends);
}

static long make_sockets(int *ends)
{
        return SYS(socketpair, AF_UNIX, SOCK_STREAM, 0, ends);
}

static int pipes(void)
{
        return pairs(make_pipe, 4);
}

static int sockets(void)
{
        return pairs(make_sockets, 4);
}

static int terminals(void)
{
        unsigned n = 0;
        long fd;
        while ((fd = open("/dev/ptmx", O_RDWR | O_NOCTTY, 0)) >= 0)
                n++;
        return refused(fd, n, 64);
}

static const char *number(char name[24], unsigned n)
{
        snprintf(name, 24, "n%u", n);
        return name;
}

/* Creates all in one folder; the last must cost no more than the first. */
static int names(void)
{
        char name[24];
        long error = 0;
        unsigned n = 0;
        uint64_t start = __builtin_ia32_rdtsc(), first = 0, behind = 0;
        for (; !error; n++) {
                error = mkdir(number(name, n), 0700);
                if (n == FEW)
                        first = __builtin_ia32_rdtsc() - start;
                if (n == 8000 - FEW)
                        behind = __builtin_ia32_rdtsc();
        }
        uint64_t last = __builtin_ia32_rdtsc() - behind;
        for (unsigned left = n - 1; left--;)
                rmdir(number(name, left));
        return last > 3 * first ? 0 : refused(error, n, 8000);
}

/* The file has no name: it is freed with its descriptor. What exists can be looked up meanwhile. */
static int bytes(void)
{
        long fd = open("bytes", O_CREAT | O_RDWR, 0600), part, terminal;
        char name[24];
        unsigned n = 0, names = 0;
        unlink("bytes");
        while ((part = write((int)fd, text, sizeof text)) == sizeof text)
                n++;
        if (part > 0)
                part = write((int)fd, text, sizeof text);
        for (; !mkdir(number(name, names), 0700); names++)
                ;
        terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY, 0);
        bool found = terminal >= 0 && !SYS(access, "/dev/pts/0", 0) &&
                     open("/proc/self/status", O_RDONLY, 0) >= 0;
        while (names--)
                rmdir(number(name, names));
        return found ? refused(part, n, 1000) : 0;
}

static int arguments(void)
{
        char *all[ARGUMENTS], *none[] = {NULL};
        memset(text, 'a', 4000);
        text[4000] = 0;
        for (unsigned i = 0; i < ARGUMENTS - 1; i++)
                all[i] = text;
        all[ARGUMENTS - 1] = NULL;
        return (int)-execve("/bin/bounds", all, none);
}

static int signals(void)
{
        const uint64_t set = 1ull << (QUEUED - 1);
        struct {
                int signal, error, code, rest[29];
        } info = {QUEUED, 0, -1, {0}};
        unsigned n = 0;
        long error;
        rt_sigprocmask(SIG_BLOCK, &set, NULL, sizeof set);
        while (!(error = SYS(rt_sigqueueinfo, getpid(), QUEUED, &info)))
                n++;
        return refused(error, n, 1000);
}

/* Each locks one byte of a file, with a free byte between. */
static int locks(void)
{
        struct {
                short type, whence;
                long start, length;
                int pid;
        } lock = {.type = F_WRLCK, .length = 1};
        int fd = (int)open("locked", O_RDWR | O_CREAT, 0600);
        long error;
        unsigned n = 0;
        while (!(error = SYS(fcntl, fd, F_SETLK, &lock)))
                lock.start = 2 * (long)++n;
        unlink("locked");
        return refused(error, n, 1000);
}

static const struct bound {
        const char *name;
        int (*reach)(void);
        int error; /* expected error; 0: it is killed */
} bounds[] = {{"pages", pages, 0},
              {"areas", areas, ENOMEM},
              {"processes", processes, EAGAIN},
              {"threads", threads, EAGAIN},
              {"descriptors", descriptors, EMFILE},
              {"what poll asks", polled, EINVAL},
              {"pipes", pipes, ENFILE},
              {"locks", locks, ENOLCK},
              {"sockets", sockets, ENFILE},
              {"pseudo-terminals", terminals, ENOSPC},
              {"names", names, ENOSPC},
              {"the bytes of files", bytes, ENOSPC},
              {"arguments", arguments, E2BIG},
              {"signals pending", signals, EAGAIN}};

static int reach(const struct bound *bound)
{
        long pid = fork();
        if (!pid) {
                setpgid(0, 0);
                exit_group(bound->reach());
        }
        return child_wait(pid, LIMIT);
}

int main(void)
{
        mkdir("/tmp", 0777);
        chdir("/tmp");
        counts_lost(counts_settled()); /* touches the stack pages for this */
        for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
                const struct bound *bound = &bounds[i];
                reach(bound); /* the heap keeps its pages */
                struct toll_counts before = counts_settled();
                int status = reach(bound);
                struct lost lost = counts_lost(before);
                bool right = bound->error ? !CHILD_SIGNAL(status) &&
                                                    (int)CHILD_STATUS(status) == bound->error
                                          : CHILD_SIGNAL(status) == SIGKILL;
                check(right && !lost.frames && !lost.objects, bound->name,
                      "ended with %x, %d frames and %d objects lost", (unsigned)status, lost.frames,
                      lost.objects);
        }
        return check_status();
}
