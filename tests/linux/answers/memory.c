/* memory.c - mremap(): shrinking, growing and moving memory. */
#include "answers.h"
#include <sys/mman.h>
#include <sys/wait.h>

#define PAGE 4096ul
#define HERE (PROT_READ | PROT_WRITE)

static int ends[2];

static char *map(size_t pages, int flags)
{
        return mmap(NULL, pages * PAGE, HERE, MAP_ANONYMOUS | flags, -1, 0);
}

/* Whether memory is mapped there: 1, or -EFAULT. */
static long is_there(const char *at)
{
        char byte;
        long result = write(ends[1], at, 1);
        return result == 1 ? read(ends[0], &byte, 1) : result;
}

static void ask_shorter(void)
{
        char *at = map(4, MAP_PRIVATE);
        at[0] = 1, at[PAGE] = 2, at[2 * PAGE] = 3;
        ASK(mremap(at, 4 * PAGE, 2 * PAGE, 0) == at), ASK(at[0] + at[PAGE]);
        ASK(is_there(at + 2 * PAGE)), ASK(mremap(at, 2 * PAGE, 1, 0) == at);
        ASK(is_there(at + PAGE));
        munmap(at, PAGE);
}

static void ask_longer(void)
{
        char *at = map(16, MAP_PRIVATE), *moved;
        munmap(at + 2 * PAGE, 4 * PAGE);
        at[0] = 1, at[PAGE] = 2;
        ASK(mremap(at, 2 * PAGE, 6 * PAGE, 0) == at), ASK(at[0] + at[PAGE] + at[5 * PAGE]);
        ASK(mremap(at, 4 * PAGE, 5 * PAGE, 0) == MAP_FAILED ? -1 : 0); /* beyond its end */
        munmap(at + 8 * PAGE, PAGE);
        ASK(mremap(at, 8 * PAGE, 10 * PAGE, 0) == MAP_FAILED ? -1 : 0);
        moved = mremap(at, 8 * PAGE, 10 * PAGE, MREMAP_MAYMOVE);
        ASK(moved != at && moved != MAP_FAILED), ASK(moved[0] + moved[PAGE] + moved[9 * PAGE]);
        ASK(is_there(at));
        munmap(moved, 10 * PAGE);
        munmap(at + 9 * PAGE, 7 * PAGE);
}

static void ask_placed(void)
{
        char *at = map(4, MAP_PRIVATE), *to = map(8, MAP_PRIVATE);
        at[0] = 5, at[3 * PAGE] = 6, to[PAGE] = 7, to[6 * PAGE] = 8;
        ASK(mremap(at, 4 * PAGE, 4 * PAGE, MREMAP_FIXED, to) == MAP_FAILED ? -1 : 0);
        ASK(mremap(at, 4 * PAGE, 4 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, to + 1) == MAP_FAILED
                    ? -1
                    : 0);
        ASK(mremap(at, 4 * PAGE, 4 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, at + PAGE) == MAP_FAILED
                    ? -1
                    : 0);
        ASK(mremap(at, 4 * PAGE, 4 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, to + PAGE) == to + PAGE);
        ASK(to[PAGE] + to[4 * PAGE] + to[6 * PAGE]), ASK(is_there(at));
        at = map(4, MAP_PRIVATE);
        at[0] = 1, at[PAGE] = 2, at[3 * PAGE] = 3;
        ASK(mremap(at, 4 * PAGE, 2 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, to) == to);
        ASK(to[0] + to[PAGE]), ASK(is_there(at + 3 * PAGE));
        munmap(to, 8 * PAGE);
}

/* A process that moves pages shared by a fork writes to private copies. */
static void move_and_write(void)
{
        char *at = (char *)0x30000000,
             *to = mremap(at, 2 * PAGE, 4 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, at + 16 * PAGE);
        to[0]++, to[PAGE]++;
        _exit(to[0] + to[PAGE]);
}

static void ask_forked(void)
{
        char *at = mmap((void *)0x30000000, 2 * PAGE, HERE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
                        -1, 0);
        at[0] = 10, at[PAGE] = 20;
        ASK(WEXITSTATUS(status_of(child(move_and_write)))), ASK(at[0] + at[PAGE]);
        munmap(at, 2 * PAGE);
        at = map(2, MAP_SHARED);
        char *to = map(2, MAP_PRIVATE);
        at[PAGE] = 3;
        ASK(mremap(at, 2 * PAGE, 2 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, to) == to);
        pid_t pid = fork();
        if (!pid) {
                to[PAGE]++;
                _exit(0);
        }
        status_of(pid);
        ASK(to[PAGE]);
        munmap(to, 2 * PAGE);
}

static void ask_refused(void)
{
        char *at = map(4, MAP_PRIVATE);
        munmap(at + 2 * PAGE, 2 * PAGE);
        ASK(mremap(at + 1, PAGE, 2 * PAGE, MREMAP_MAYMOVE) == MAP_FAILED ? -1 : 0);
        ASK(mremap(at, PAGE, 0, MREMAP_MAYMOVE) == MAP_FAILED ? -1 : 0);
        ASK(mremap(at, 0, PAGE, MREMAP_MAYMOVE) == MAP_FAILED ? -1 : 0);
        ASK(mremap(at, PAGE, PAGE, 8) == MAP_FAILED ? -1 : 0);
        ASK(mremap(at, 3 * PAGE, 4 * PAGE, MREMAP_MAYMOVE) == MAP_FAILED ? -1 : 0);
        ASK(mremap(at + 2 * PAGE, PAGE, PAGE, 0) == MAP_FAILED ? -1 : 0);
        munmap(at, 2 * PAGE);
}

void ask_memory(void)
{
        ASK(pipe(ends));
        ask_shorter();
        ask_longer();
        ask_placed();
        ask_forked();
        ask_refused();
        close(ends[0]);
        close(ends[1]);
}
