/* limits.c - what a process may have and has had: limits, the processor's time, alarms. */
#include "answers.h"
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/times.h>

static volatile int rung;

static void count(int signal)
{
        rung += signal == SIGALRM ? 1 : signal == SIGVTALRM ? 100 : 10000;
}

static void show(int which)
{
        struct rlimit limit;
        char text[60];
        getrlimit(which, &limit);
        snprintf(text, sizeof text, "%d: %ld %ld", which, (long)limit.rlim_cur,
                 (long)limit.rlim_max);
        note("limit", text);
}

static void descriptors(void)
{
        for (int fd = 3; fd < 30; fd++)
                close(fd);
        ASK(setrlimit(RLIMIT_NOFILE, &(struct rlimit){10, 20}));
        show(RLIMIT_NOFILE);
        ASK(dup2(0, 9)), ASK(dup2(0, 10)), ASK(fcntl(0, F_DUPFD, 10)), ASK(fcntl(0, F_DUPFD, 9));
        while (dup(0) >= 0)
                ;
        ASK(dup(0)), ASK(open("/dev/null", O_RDONLY));
        ASK(setrlimit(RLIMIT_NOFILE, &(struct rlimit){20, 20})), ASK(dup(0));
        ASK(setrlimit(RLIMIT_NOFILE, &(struct rlimit){0, 20})), ASK(open("/dev/null", O_RDONLY));
}

static int calls(unsigned depth)
{
        volatile char page[4096];
        page[0] = 1;
        return depth ? calls(depth - 1) + page[0] : 0;
}

static void deep_stack(void)
{
        calls(100);
}

/* The limit is a megabyte there. */
static void deeper_stack(void)
{
        calls(400);
}

static void stack_again(void)
{
        struct rlimit limit;
        getrlimit(RLIMIT_STACK, &limit);
        limit.rlim_cur = 3 << 20;
        setrlimit(RLIMIT_STACK, &limit);
        calls(400);
}

static void memory(void)
{
        const size_t size = 20 << 20;
        void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        ASK(at != MAP_FAILED && !munmap(at, size));
        ASK(setrlimit(RLIMIT_AS, &(struct rlimit){12 << 20, RLIM_INFINITY}));
        ASK((long)mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        ASK(setrlimit(RLIMIT_AS, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY}));
        ASK(setrlimit(RLIMIT_DATA, &(struct rlimit){12 << 20, RLIM_INFINITY}));
        ASK((long)mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        ASK(mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED);
        ASK(sbrk(size) == (void *)-1);
}

/* Memory that replaces other memory, grows, or may be written from now on. */
static void memory_in_place(void)
{
        const size_t mib = 1 << 20;
        const int access = PROT_READ | PROT_WRITE, flags = MAP_PRIVATE | MAP_ANONYMOUS;
        char *much = mmap(NULL, 30 * mib, access, flags, -1, 0);
        char *some = mmap(NULL, mib, PROT_READ, flags, -1, 0);
        ASK(setrlimit(RLIMIT_AS, &(struct rlimit){50 * mib, RLIM_INFINITY}));
        ASK(mmap(much, 30 * mib, access, flags | MAP_FIXED, -1, 0) == much);
        ASK(mremap(some, mib, 30 * mib, MREMAP_MAYMOVE) == MAP_FAILED);
        some = mremap(some, mib, 2 * mib, MREMAP_MAYMOVE);
        ASK(some != MAP_FAILED), ASK(munmap(much, 30 * mib));
        ASK(setrlimit(RLIMIT_AS, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY}));
        ASK(setrlimit(RLIMIT_DATA, &(struct rlimit){30 * mib, RLIM_INFINITY}));
        much = mmap(NULL, 40 * mib, PROT_READ, flags, -1, 0);
        ASK(mprotect(much, 40 * mib, access)), ASK(mprotect(much, mib, access));
        ASK(mprotect(much, mib, access));
        ASK(mremap(much, mib, 35 * mib, MREMAP_MAYMOVE) == MAP_FAILED);
        ASK(mremap(much + mib, mib, 35 * mib, MREMAP_MAYMOVE) != MAP_FAILED);
}

static void limits(void)
{
        struct rlimit limit;
        show(RLIMIT_NOFILE);
        ASK(setrlimit(RLIMIT_NOFILE, &(struct rlimit){20, 10}));
        ASK(setrlimit(99, &(struct rlimit){20, 30})), ASK(getrlimit(99, &limit));
        ASK(syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, NULL, NULL));
        ASK(syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, NULL, 8));
        ASK(syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, 8, NULL));
        ASK(syscall(SYS_prlimit64, 4000000, RLIMIT_NOFILE, NULL, NULL));
        ASK(syscall(SYS_prlimit64, 4000000, 99, NULL, NULL));
        getrlimit(RLIMIT_STACK, &limit);
        limit.rlim_cur = 1 << 20;
        ASK(setrlimit(RLIMIT_STACK, &limit)), ASK(status_of(child(deep_stack)));
        ASK(status_of(child(deeper_stack))), ASK(status_of(child(stack_again)));
        ASK(setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0}));
        show(RLIMIT_CORE);
        ASK(status_of(child(descriptors))), ASK(status_of(child(memory)));
        ASK(status_of(child(memory_in_place)));
        show(RLIMIT_NOFILE);
}

static long ticks_of(const struct timeval *time)
{
        return time->tv_sec * 100 + time->tv_usec / 10000;
}

/* For so many hundredths of a second of the processor's. */
static void work(long hundredths, int calls)
{
        struct rusage usage;
        char byte;
        int fd = open("/dev/zero", O_RDONLY);
        static char much[1 << 16];
        do {
                for (volatile int i = 0; i < 200000 && !calls; i++)
                        ;
                for (int i = 0; i < 20 && calls; i++)
                        byte = (char)read(fd, much, sizeof much);
                getrusage(RUSAGE_SELF, &usage);
        } while (ticks_of(&usage.ru_utime) + ticks_of(&usage.ru_stime) < hundredths);
        (void)byte;
        close(fd);
}

static void compute(void)
{
        work(6, 0);
}

static void call(void)
{
        work(6, 1);
}

static void usage(void)
{
        struct rusage own, before, after;
        struct tms tms;
        int status;
        getrusage(RUSAGE_CHILDREN, &before);
        pid_t pid = child(compute);
        ASK(wait4(pid, &status, 0, &own) == pid);
        ASK(ticks_of(&own.ru_utime) >= 3 && ticks_of(&own.ru_utime) >= ticks_of(&own.ru_stime));
        pid = child(call);
        ASK(wait4(pid, &status, 0, &own) == pid);
        ASK(ticks_of(&own.ru_stime) >= 3 && ticks_of(&own.ru_stime) >= ticks_of(&own.ru_utime));
        getrusage(RUSAGE_CHILDREN, &after);
        ASK(ticks_of(&after.ru_utime) - ticks_of(&before.ru_utime) >= 3);
        ASK(ticks_of(&after.ru_stime) - ticks_of(&before.ru_stime) >= 3);
        ASK(times(&tms) != -1 && tms.tms_cutime >= 3 && tms.tms_cstime >= 3);
        ASK(getrusage(7, &own)), ASK(syscall(SYS_getrusage, RUSAGE_SELF, 8));
#ifdef RUSAGE_THREAD
        ASK(getrusage(RUSAGE_THREAD, &own));
#endif
}

#define PAGES 300

static struct rusage of(int who)
{
        struct rusage usage;
        getrusage(who, &usage);
        return usage;
}

/* New pages, and given back. */
static void touch(void)
{
        size_t size = PAGES * 4096;
        char *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        memset(at, 1, size);
        munmap(at, size);
}

static void pages(void)
{
        const struct rusage before = of(RUSAGE_SELF), children = of(RUSAGE_CHILDREN);
        struct rusage own;
        int status;
        touch();
        const struct rusage after = of(RUSAGE_SELF);
        ASK(after.ru_minflt - before.ru_minflt >= PAGES);
        ASK(after.ru_minflt - before.ru_minflt < PAGES + 30);
        touch();
        ASK(of(RUSAGE_SELF).ru_maxrss - after.ru_maxrss < PAGES);
        ASK(of(RUSAGE_CHILDREN).ru_minflt == children.ru_minflt);
        pid_t pid = child(touch);
        ASK(wait4(pid, &status, 0, &own) == pid), ASK(own.ru_minflt >= PAGES);
        ASK(of(RUSAGE_CHILDREN).ru_minflt - children.ru_minflt == own.ru_minflt);
        ASK(of(RUSAGE_CHILDREN).ru_maxrss >= own.ru_maxrss);
#ifdef RUSAGE_THREAD
        ASK(of(RUSAGE_THREAD).ru_minflt >= after.ru_minflt);
#endif
}

static void three(void)
{
        _exit(3);
}

static void waits(void)
{
        siginfo_t about;
        pid_t pid = child(three);
        ASK(waitid(P_PID, (id_t)pid, &about, 0)), ASK(waitid(9, (id_t)pid, &about, WEXITED));
        ASK(waitid(P_PID, (id_t)pid, &about, WEXITED | WNOWAIT));
        ASK(about.si_signo * 10000 + about.si_code * 100 + about.si_status);
        ASK(about.si_pid == pid);
        memset(&about, 7, sizeof about);
        ASK(waitid(P_ALL, 0, &about, WEXITED));
        ASK(about.si_signo * 10000 + about.si_code * 100 + about.si_status);
        ASK(waitid(P_ALL, 0, &about, WEXITED));
        pid = fork();
        if (!pid)
                for (;;)
                        pause();
        ASK(waitid(P_PID, (id_t)pid, &about, WEXITED | WNOHANG));
        ASK(about.si_signo + about.si_pid);
        kill(pid, SIGSTOP);
        ASK(waitid(P_PID, (id_t)pid, &about, WSTOPPED)), ASK(about.si_code * 100 + about.si_status);
        kill(pid, SIGCONT);
        ASK(waitid(P_PID, (id_t)pid, &about, WCONTINUED));
        ASK(about.si_code * 100 + about.si_status);
        kill(pid, SIGKILL);
        ASK(waitid(P_PGID, (id_t)getpgrp(), &about, WEXITED));
        ASK(about.si_code * 100 + about.si_status);
}

static void alarms(void)
{
        struct itimerval set = {{0, 20000}, {0, 20000}}, old;
        const struct itimerval none = {{0, 0}, {0, 0}};
        catch (SIGALRM, count, SA_RESTART);
        catch (SIGVTALRM, count, SA_RESTART);
        catch (SIGPROF, count, SA_RESTART);
        ASK(alarm(100)), ASK(alarm(7)), ASK(getitimer(ITIMER_REAL, &old));
        ASK(old.it_value.tv_sec == 6 && !old.it_interval.tv_sec), ASK(alarm(0)), ASK(alarm(0));
        ASK(setitimer(ITIMER_REAL, &set, &old)), ASK(old.it_value.tv_sec + old.it_value.tv_usec);
        while (rung < 3)
                pause();
        ASK(setitimer(ITIMER_REAL, &none, &old)), ASK(old.it_interval.tv_usec);
        ASK(old.it_value.tv_usec <= 20000);
        rung = 0;
        ASK(setitimer(ITIMER_VIRTUAL, &set, NULL));
        while (rung < 200)
                ;
        ASK(setitimer(ITIMER_VIRTUAL, &none, &old)), ASK(old.it_interval.tv_usec);
        rung = 0;
        ASK(setitimer(ITIMER_PROF, &set, NULL));
        while (rung < 20000)
                ;
        ASK(setitimer(ITIMER_PROF, &none, NULL));
        rung = 0;
        nap(200);
        ASK(rung);
        const struct itimerval none_again = {{5, 0}, {0, 0}};
        ASK(setitimer(ITIMER_REAL, &none_again, NULL)), ASK(getitimer(ITIMER_REAL, &old));
        ASK(old.it_interval.tv_sec), ASK(setitimer(3, &set, NULL)), ASK(getitimer(-1, &old));
        set.it_value.tv_usec = 1000000;
        ASK(setitimer(ITIMER_REAL, &set, NULL)), ASK(syscall(SYS_setitimer, ITIMER_REAL, 8, NULL));
        alarm(1);
        pid_t pid = fork();
        if (!pid) {
                _exit((int)alarm(0));
        }
        ASK(status_of(pid));
        while (!rung)
                pause();
        ASK(rung);
}

void ask_limits(void)
{
        limits();
        usage();
        pages();
        waits();
        alarms();
}
