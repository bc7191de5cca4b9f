/* calls.c - a process's ids, priority and notification of its end; memory and files that are
 * allocated before use; and /proc's report of these. */
#include "answers.h"
#include <sched.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>

extern char **environ;

/* Prints a text's first line, or the one that begins so; cut before numbers that may differ. */
static void tell(const char *path, const char *begin)
{
        char line[256];
        FILE *file = fopen(path, "r");
        while (file && fgets(line, sizeof line, file))
                if (!strncmp(line, begin, strlen(begin))) {
                        line[strcspn(line, "\n")] = 0;
                        note(path, line);
                        break;
                }
        if (file)
                fclose(file);
}

void show_ids(void)
{
        char text[100];
        uid_t u[3];
        gid_t g[3];
        getresuid(&u[0], &u[1], &u[2]), getresgid(&g[0], &g[1], &g[2]);
        snprintf(text, sizeof text, "%u %u %u, %u %u %u; %u %u, %u %u; %lu %lu", u[0], u[1], u[2],
                 g[0], g[1], g[2], getuid(), geteuid(), getgid(), getegid(), getauxval(AT_EUID),
                 getauxval(AT_EGID));
        note("ids", text);
        tell("/proc/self/status", "Uid:"), tell("/proc/self/status", "Gid:");
}

/* Saves the effective ids. */
static void execute(void)
{
        ASK(setresgid(1, 2, 3));
        execve(program, (char *[]){program, "ids", NULL}, environ);
}

static void ids(void)
{
        ASK(prctl(PR_GET_DUMPABLE)), ASK(setresgid(7, 8, 9)), show_ids();
        ASK(setregid(10, -1)), show_ids(), ASK(setregid(-1, 11)), show_ids(), ASK(setgid(12));
        ASK(setregid(-1, 12)), show_ids(), ASK(setresgid(12, 13, 14)), ASK(setuid(-1));
        ASK(prctl(PR_SET_PDEATHSIG, 9)), ASK(setresuid(-1, -1, -1)), ASK(setresuid(1000, 1001, 0));
        show_ids(), ASK(prctl(PR_GET_DUMPABLE)), ASK(setresuid(-1, 1002, -1)), ASK(setuid(1001));
        int signal = -1;
        ASK(prctl(PR_GET_PDEATHSIG, &signal)), ASK(signal), ASK(setreuid(0, -1));
        ASK(setreuid(-1, 0)), ASK(setresuid(1000, 1001, 1002)), show_ids(), ASK(setuid(1001));
        ASK(setuid(1002)), ASK(setreuid(1002, 1001)), show_ids(), ASK(setresuid(-1, 0, -1));
        ASK(setgid(1)), ASK(setgid(14)), show_ids(), ASK(setregid(14, 12)), ASK(setregid(13, -1));
        ASK(getresuid((uid_t *)8, (uid_t *)8, (uid_t *)8)), ASK(setpriority(PRIO_PROCESS, 0, -20));
}

#define GET(which, who) syscall(SYS_getpriority, which, who)

static void priorities(void)
{
        struct sched_param param = {0};
        struct timespec turn;
        ASK(setpriority(PRIO_PROCESS, getpid(), 19)); /* from any value, by anybody */
        ASK(GET(PRIO_PROCESS, getpid())), ASK(setpgid(0, 0));
        pid_t pid = fork();
        if (!pid)
                _exit((int)GET(PRIO_PROCESS, 0));
        ASK(status_of(pid)), ASK(setpriority(PRIO_PGRP, 0, 100)), ASK(GET(PRIO_PGRP, getpid()));
        ASK(GET(3, 0)), ASK(GET(PRIO_PROCESS, 4000000)), ASK(GET(PRIO_PGRP, 4000000));
        ASK(GET(PRIO_USER, 54321)), ASK(setpriority(PRIO_PROCESS, 4000000, 1));
        ASK(GET(PRIO_USER, 0) > 0), ASK(setpriority(-1, 0, 0));
        ASK(syscall(SYS_sched_getscheduler, 0)), ASK(syscall(SYS_sched_getscheduler, -1));
        ASK(syscall(SYS_sched_getscheduler, 4000000)), ASK(syscall(SYS_sched_getparam, 0, &param));
        ASK(param.sched_priority), ASK(syscall(SYS_sched_getparam, 0, NULL));
        ASK(syscall(SYS_sched_getparam, 0, 8)), ASK(syscall(SYS_sched_setparam, 0, &param));
        ASK(syscall(SYS_sched_setscheduler, 0, SCHED_OTHER, &param));
        param.sched_priority = 1;
        ASK(syscall(SYS_sched_setscheduler, 0, SCHED_OTHER, &param));
        ASK(syscall(SYS_sched_setparam, 0, &param)), ASK(syscall(SYS_sched_setparam, 0, 8));
        ASK(syscall(SYS_sched_setscheduler, -1, SCHED_OTHER, &param));
        ASK(syscall(SYS_sched_setscheduler, 4000000, SCHED_OTHER, &param));
        ASK(syscall(SYS_sched_setscheduler, 0, 4, &param));
        ASK(syscall(SYS_sched_setscheduler, 0, 99, &param));
        for (int policy = -1; policy < 7; policy++)
                ASK(sched_get_priority_min(policy)), ASK(sched_get_priority_max(policy));
        ASK(syscall(SYS_sched_rr_get_interval, 0, &turn)), ASK(turn.tv_sec);
        ASK(syscall(SYS_sched_rr_get_interval, -1, &turn));
        ASK(syscall(SYS_sched_rr_get_interval, 0, 8));
}

static void names(void)
{
        char name[20] = "";
        int value = -1;
        ASK(prctl(PR_SET_NAME, "a name too long for it")), ASK(prctl(PR_GET_NAME, name));
        note("name", name), tell("/proc/self/status", "Name:");
        if (!fork()) {
                memset(name, 7, sizeof name);
                ASK(prctl(PR_GET_NAME, name)), note("name", name), ASK(name[16]), exit(0);
        }
        wait(NULL);
        ASK(prctl(PR_SET_NAME, "short")), ASK(prctl(PR_GET_NAME, name)), note("name", name);
        ASK(prctl(PR_SET_NAME, 8)), ASK(prctl(PR_GET_NAME, 8)), ASK(prctl(PR_SET_PDEATHSIG, 65));
        ASK(prctl(PR_SET_PDEATHSIG, 64)), ASK(prctl(PR_GET_PDEATHSIG, &value)), ASK(value);
        ASK(prctl(PR_GET_PDEATHSIG, 8)), ASK(prctl(PR_SET_DUMPABLE, 0)), ASK(prctl(9999));
        ASK(prctl(PR_GET_DUMPABLE)), ASK(prctl(PR_SET_DUMPABLE, 2)), ASK(prctl(-1));
        ASK(prctl(PR_GET_CHILD_SUBREAPER, &value)), ASK(value);
        ASK(prctl(PR_SET_CHILD_SUBREAPER, 5)), ASK(prctl(PR_GET_CHILD_SUBREAPER, &value));
        ASK(value);
        if (!fork()) {
                ASK(prctl(PR_GET_CHILD_SUBREAPER, &value)), ASK(value);
                ASK(prctl(PR_GET_PDEATHSIG, &value)), ASK(value), exit(0);
        }
        wait(NULL);
}

/* Adopts a grandchild, which has requested a signal when its parent ends. */
static void orphans(void)
{
        int ends[2], status = 0;
        char byte = 0;
        ASK(pipe(ends)), ASK(prctl(PR_SET_CHILD_SUBREAPER, 1));
        pid_t pid = fork();
        if (!pid) {
                if (!fork()) {
                        prctl(PR_SET_PDEATHSIG, SIGTERM);
                        (void)!write(ends[1], "", 1);
                        for (;;)
                                pause();
                }
                _exit((int)read(ends[0], &byte, 1));
        }
        ASK(status_of(pid)), ASK(waitpid(-1, &status, 0) > 0), ASK(status), ASK(wait(NULL));
}

static long resident(void)
{
        long all = 0, here = 0;
        FILE *file = fopen("/proc/self/statm", "r");
        int fields = fscanf(file, "%ld %ld %*d %*d %*d %*d %*d\n", &all, &here);
        ASK(fields), ASK(all >= here && here > 0), ASK(fgetc(file));
        fclose(file);
        return here;
}

static void filled(void)
{
        const size_t page = 4096, size = 100 * page;
        const int flags = MAP_PRIVATE | MAP_ANONYMOUS;
        char *at = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, -1, 0);
        long before = resident();
        ASK(mlock(at + 1, size - 1)), ASK(resident() - before >= 100), ASK(at[size - 1]);
        ASK(munlock(at, size)), ASK(mlock(at, 0)), ASK(munmap(at + page, page));
        ASK(mlock(at, 3 * page)), ASK(munlock(at, 3 * page)), ASK(mlock(at + page, page));
        ASK(mprotect(at, page, PROT_NONE)), ASK(mlock(at, page)), ASK(mlockall(0));
        ASK(mlockall(4)), ASK(mlockall(9)), ASK(mlockall(MCL_CURRENT)), ASK(munlockall());
        at = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, -1, 0);
        before = resident();
        ASK(mlockall(MCL_CURRENT)), ASK(resident() - before >= 100), ASK(munlockall());
}

static long size_of(int fd)
{
        struct stat about;
        return fstat(fd, &about) ? -1 : (long)about.st_size;
}

static void rooms(void)
{
        int fd = open("asked", O_RDWR | O_CREAT | O_TRUNC, 0600), reads = open("asked", O_RDONLY);
        int ends[2], null = open("/dev/null", O_RDWR), folder = open(".", O_RDONLY);
        char byte = 1;
        ASK(fallocate(fd, 0, 100, 9900)), ASK(size_of(fd)), ASK(pread(fd, &byte, 1, 9999));
        ASK(byte), ASK(fallocate(fd, 1, 0, 20000)), ASK(size_of(fd)), ASK(fallocate(fd, 0, 0, 5));
        ASK(size_of(fd)), ASK(fallocate(fd, 0, -1, 5)), ASK(fallocate(fd, 0, 0, 0));
        ASK(fallocate(fd, 0, 0, -1)), ASK(fallocate(fd, 0x1000, 0, 1)), ASK(fallocate(-1, 0, 0, 1));
        ASK(fallocate(reads, 0, 0, 1)), ASK(fallocate(folder, 0, 0, 1)), ASK(pipe(ends));
        ASK(fallocate(null, 0, 0, 1)), ASK(fallocate(ends[1], 0, 0, 1));
        ASK(posix_fadvise(fd, 0, 0, 5)), ASK(posix_fadvise(fd, 0, 100, 6));
        ASK(posix_fadvise(fd, -1, 100, 0)), ASK(posix_fadvise(ends[0], 0, 0, 0));
        ASK(posix_fadvise(-1, 0, 0, 0)), ASK(posix_fadvise(null, 0, 0, 0));
        if (sizeof(long) == 8)
                ASK(posix_fadvise(fd, 0, -1, 0));
        close(fd), close(reads), close(null), close(folder), close(ends[0]), close(ends[1]);
        ASK(unlink("asked"));
}

static void tables(void)
{
        static char text[1 << 16];
        size_t size = 0;
        FILE *file = fopen("/proc/self/environ", "r");
        size_t told = fread(text, 1, sizeof text, file);
        for (char **each = environ; *each; each++)
                size += strlen(*each) + 1;
        ASK(told == size), ASK(!size || !memcmp(text, *environ, size));
        fclose(file);
        file = fopen("/proc/self/limits", "r");
        while (fgets(text, sizeof text, file)) { /* names and units */
                text[26] = text[78] = 0;
                note(text, text + 68);
        }
        fclose(file);
        tell("/proc/self/limits", "Limit"), tell("/proc/self/limits", "Max open files");
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
        tell("/proc/self/limits", "Max core");
}

void ask_calls(void)
{
        tables();
        note("root's alone", "from here");
        ASK(status_of(child(ids))), ASK(status_of(child(execute)));
        note("root's alone", "to here");
        ASK(status_of(child(priorities)));
        ASK(status_of(child(names))), ASK(status_of(child(orphans)));
        ASK(status_of(child(filled)));
        rooms();
}
