/* memory.c - pages, areas, tables: taken and given back, or left to the end of the program. */
#include "leaks.h"

#define TABLE (8ul << 20)                  /* behind it begins another one */
#define FAR (WIDE ? 1ul << 39 : 4ul << 20) /* a table of its own, of every level */

static void pages(void)
{
        char *at = map(16, MAP_PRIVATE);
        touch(at, 16);
        munmap((uintptr_t)at, 16 * PAGE_SIZE);
}

static void left_behind(void)
{
        touch(map(16, MAP_PRIVATE), 16);
        touch(map(4, MAP_SHARED), 4);
        map(64, MAP_PRIVATE);
}

static void pages_left(void)
{
        in_child(left_behind);
}

static char *common;

static void write_common(void)
{
        touch(common, 8);
        munmap((uintptr_t)common, 4 * PAGE_SIZE);
}

static void copied(void)
{
        common = map(8, MAP_PRIVATE);
        touch(common, 8);
        in_child(write_common);
        munmap((uintptr_t)common, 8 * PAGE_SIZE);
}

static void shared(void)
{
        common = map(8, MAP_SHARED);
        in_child(write_common);
        touch(common, 8);
        munmap((uintptr_t)common, 8 * PAGE_SIZE);
}

static void splits(void)
{
        char *at = map(32, MAP_PRIVATE);
        touch(at, 32);
        for (size_t i = 0; i < 32; i += 2)
                mprotect((uintptr_t)at + i * PAGE_SIZE, PAGE_SIZE, PROT_READ);
        munmap((uintptr_t)at + PAGE_SIZE, PAGE_SIZE);
        mprotect((uintptr_t)at + 2 * PAGE_SIZE, 30 * PAGE_SIZE, PROT_NONE);
        mprotect((uintptr_t)at, 32 * PAGE_SIZE, PROT_READ); /* over a hole */
        munmap((uintptr_t)at, 32 * PAGE_SIZE);
}

/* All areas that a memory may have, and one more. */
static void all_areas(void)
{
        char *at = map(2100, MAP_PRIVATE);
        for (size_t i = 0; i < 1050; i++)
                mprotect((uintptr_t)at + i * 2 * PAGE_SIZE, PAGE_SIZE, PROT_READ);
        mmap((uintptr_t)at + 2099 * PAGE_SIZE, PAGE_SIZE, PROT_READ,
             MAP_FIXED | MAP_SHARED | MAP_ANONYMOUS);
        munmap((uintptr_t)at, 2100 * PAGE_SIZE);
}

static void tables(void)
{
        for (uintptr_t i = 1; i < 16; i++) {
                char *at = (char *)mmap(0x10000000 + i * FAR, PAGE_SIZE, PROT_READ | PROT_WRITE,
                                        MAP_PRIVATE | MAP_ANONYMOUS);
                touch(at, 1);
                if (i & 1)
                        madvise((uintptr_t)at, PAGE_SIZE, MADV_DONTNEED);
                munmap((uintptr_t)at, PAGE_SIZE);
        }
}

/* A read makes tables, too; and so do a protection and a fork of memory that was never written. */
static void tables_read(void)
{
        size_t span = 64 * (WIDE ? 2ul << 20 : 4ul << 20);
        char *at = (char *)mmap(0, span, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS);
        for (size_t i = 0; i < span; i += span / 32)
                (void)*(volatile char *)(at + i);
        mprotect((uintptr_t)at, span, PROT_NONE);
        madvise((uintptr_t)at, span, MADV_DONTNEED);
        munmap((uintptr_t)at, span);
}

/* Areas move to tables of their own and back, longer and shorter, with a fork in between. */
static void moves(void)
{
        const uintptr_t there = 0x40000000, moved = MREMAP_MAYMOVE | MREMAP_FIXED;
        char *at = map(16, MAP_PRIVATE);
        touch(at, 16);
        SYS(mremap, at, 16 * PAGE_SIZE, 40 * PAGE_SIZE, moved, there);
        touch((char *)there, 40);
        SYS(mremap, there, 40 * PAGE_SIZE, 20 * PAGE_SIZE, 0);
        in_child(left_behind);
        SYS(mremap, there, 20 * PAGE_SIZE, 10 * PAGE_SIZE, moved, there + TABLE);
        SYS(mremap, there + TABLE, 10 * PAGE_SIZE, 30 * PAGE_SIZE, MREMAP_MAYMOVE);
        SYS(mremap, there, PAGE_SIZE, PAGE_SIZE, moved, there + TABLE); /* nothing is there */
        munmap(there + TABLE, 30 * PAGE_SIZE);
}

/* The image of functions, over pages, copied by a fork. */
static void image_moves(void)
{
        const size_t size = 2 * PAGE_SIZE;
        uintptr_t to = (uintptr_t)map(2, MAP_PRIVATE);
        touch((char *)to, 2);
        SYS(mremap, image, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, to);
        in_child(left_behind);
        munmap(to, size);
}

static void over(void)
{
        char *at = map(16, MAP_PRIVATE);
        touch(at, 16);
        mmap((uintptr_t)at + 4 * PAGE_SIZE, 4 * PAGE_SIZE, PROT_READ | PROT_WRITE,
             MAP_FIXED | MAP_SHARED | MAP_ANONYMOUS);
        mmap((uintptr_t)at, 16 * PAGE_SIZE, PROT_READ, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS);
        munmap((uintptr_t)at, 16 * PAGE_SIZE);
}

static void heap(void)
{
        uintptr_t start = (uintptr_t)SYS(brk, 0);
        SYS(brk, start + 40 * PAGE_SIZE + 5);
        touch((char *)start, 40);
        SYS(brk, start + 7);
        SYS(brk, start);
}

static void stack_below(void)
{
        volatile char deep[20 * 4096];
        for (size_t i = 0; i < sizeof deep; i += 4096)
                deep[i] = 1;
}

static void stack(void)
{
        in_child(stack_below);
}

static void refused(void)
{
        static const int flags[] = {0, MAP_ANONYMOUS, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED};
        for (size_t i = 0; i < 3; i++) {
                mmap(1, PAGE_SIZE, PROT_READ, flags[i]);
                mmap(0, 0, PROT_READ, flags[i] | MAP_PRIVATE);
                mmap(0, (size_t)1 << (8 * sizeof(size_t) - 2), PROT_READ | PROT_WRITE, flags[i]);
        }
        munmap(1, PAGE_SIZE);
        mprotect(0x10000000, PAGE_SIZE, PROT_READ);
        mmap(0, PAGE_SIZE, PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS);
}

/* A shared mapping of more than there is takes all, and gives it back. */
static void too_much_shared(void)
{
        size_t size = (size_t)counts_now().frames * PAGE_SIZE + (1 << 20);
        mmap(0, size, PROT_READ, MAP_SHARED | MAP_ANONYMOUS);
}

static void eat(void)
{
        for (;;)
                touch(map(64, MAP_PRIVATE), 64);
}

static void eaten(void)
{
        in_child(eat);
}

/* A program is killed for want of memory in the middle of a fork, an execve, a thread: the rest is
 * freed. */
static void eat_and_fork(void)
{
        size_t left = counts_now().frames;
        char *at = map(left, MAP_PRIVATE);
        static unsigned spare;
        touch(at, left - 16 - spare++ % 24);
        long pid = fork();
        if (!pid) {
                char *arguments[] = {self, "end", NULL};
                execve(self, arguments, arguments);
        }
        thread_start(THREAD, stacks[1], NULL, NULL);
        int ends[2];
        pipe(ends);
        map(1, MAP_SHARED);
        open("file", O_CREAT | O_WRONLY, 0644);
        unlink("file");
}

static void write_and_cut(void)
{
        int fd = (int)open("/tmp/mapped", O_RDWR, 0);
        touch(common, 4);
        SYS(ftruncate, fd, 2 * PAGE_SIZE);
}

/* A file in memory, shared and private, split and moved, cut by another, removed before it goes. */
static void mapped(void)
{
        int fd = (int)open("/tmp/mapped", O_RDWR | O_CREAT | O_TRUNC, 0755);
        const int both = PROT_READ | PROT_WRITE;
        SYS(ftruncate, fd, 8 * PAGE_SIZE);
        char *own = (char *)mmap_file(8 * PAGE_SIZE, both, MAP_PRIVATE, fd);
        common = (char *)mmap_file(8 * PAGE_SIZE, both, MAP_SHARED, fd);
        touch(own, 4);
        touch(common, 8);
        mprotect((uintptr_t)own + PAGE_SIZE, PAGE_SIZE, PROT_READ);
        SYS(mremap, common, 8 * PAGE_SIZE, 9 * PAGE_SIZE, MREMAP_MAYMOVE);
        common = (char *)mmap_file(8 * PAGE_SIZE, both, MAP_SHARED, fd);
        in_child(write_and_cut);
        unlink("/tmp/mapped");
        close(fd);
        touch(common, 2);
        touch(own, 2 - 1);
        in_child(left_behind);
        munmap((uintptr_t)own, 8 * PAGE_SIZE);
        munmap((uintptr_t)common, 8 * PAGE_SIZE);
}

static void mapped_left(void)
{
        in_child(mapped);
}

static void eaten_and_forked(void)
{
        in_child(eat_and_fork);
}

const struct leak memory_leaks[] = {
        {"pages", pages, 0},
        {"pages left at the end", pages_left, 0},
        {"pages copied", copied, 0},
        {"pages shared", shared, 0},
        {"areas split", splits, 0},
        {"all areas", all_areas, 100},
        {"tables", tables, 0},
        {"tables of what was read", tables_read, 10},
        {"memory moved", moves, 0},
        {"the image of functions moved", image_moves, 0},
        {"a mapping over others", over, 0},
        {"a mapped file left at the end", mapped_left, 0},
        {"brk", heap, 0},
        {"a stack that grows", stack, 0},
        {"mmap refused", refused, 0},
        {"more shared than there is", too_much_shared, 1000},
        {"all memory eaten", eaten, 1000},
        {"fork, execve and others without memory", eaten_and_forked, 400},
        {NULL, NULL, 0},
};
