/* limits.c - a process's limits: descriptors, stack, memory. */
#include "answers.h"
#include <sys/mman.h>
#include <sys/resource.h>

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

/* Calls with a limit of a megabyte. */
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
        show(RLIMIT_NOFILE);
}

void ask_limits(void)
{
        limits();
}
