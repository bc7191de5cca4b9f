/* memory.c - checks brk, mmap, munmap and mprotect, and the cost of a page on demand. With
 * only=NAME: one way to die of memory. */
#include "child.h"
#include "linux.h"

#define BOTH (PROT_READ | PROT_WRITE)
#define OURS (MAP_PRIVATE | MAP_ANONYMOUS)
#define PAGES 64

static char zeros[PAGES * PAGE_SIZE]; /* bss */
static int64_t costs[PAGES];

static long map_at(uintptr_t at, size_t size, int access, int flags)
{
        return mmap(at, size, access, flags);
}

static char *map(size_t size)
{
        return (char *)map_at(0, size, BOTH, OURS);
}

static bool failed(long result)
{
        return result < 0 && result > -4096;
}

static long unmap(const void *at, size_t size)
{
        return munmap((uintptr_t)at, size);
}

static long protect(const void *at, size_t size, int access)
{
        return mprotect((uintptr_t)at, size, access);
}

static long set_break(uintptr_t end)
{
        return system_call(NUMBER_brk, end);
}

static bool is_zero(const char *at, size_t size)
{
        for (size_t i = 0; i < size; i++)
                if (at[i])
                        return false;
        return true;
}

static void try_demand_zero(void)
{
        char *area = map(sizeof zeros);
        check(is_zero(zeros, sizeof zeros), "zero", "bss");
        memset(area, 0x55, sizeof zeros);
        unmap(area, sizeof zeros);
        char *again = map(sizeof zeros);
        check(again == area, "zero", "the room of an unmapped area is used again");
        check(is_zero(again, sizeof zeros), "zero", "its frames are not");
        memset(again, 0x55, sizeof zeros);
        long result = madvise((uintptr_t)again, PAGE_SIZE, MADV_DONTNEED);
        check(!result && is_zero(again, PAGE_SIZE) && again[PAGE_SIZE] == 0x55, "madvise",
              "DONTNEED: zeros, %ld", result);
        unmap(again, sizeof zeros);
}

static void try_brk(void)
{
        uintptr_t heap = (uintptr_t)set_break(0);
        check(heap && !(heap % PAGE_SIZE) && heap >= (uintptr_t)zeros + sizeof zeros, "brk",
              "the heap starts at %lx", (unsigned long)heap);
        check((uintptr_t)set_break(heap + 10000) == heap + 10000, "brk", "10000 bytes");
        char *at = (char *)heap;
        check(is_zero(at, 10000), "brk", "zeros");
        at[9999] = 1;
        check((uintptr_t)set_break(heap + 1) == heap + 1, "brk", "back to one");
        set_break(heap + 10000);
        check(!at[9999], "brk", "zeros again");
        check((uintptr_t)set_break(heap - 1) == heap + 10000, "brk", "not below its start");
        check((uintptr_t)set_break(~(uintptr_t)0) == heap + 10000, "brk", "not over the end");
        check((uintptr_t)set_break(heap + (1ul << 30)) == heap + 10000, "brk",
              "not more than the machine has");
        check((uintptr_t)set_break(heap) == heap, "brk", "back to none");
}

/* The kernel reads and writes pages that the program has not touched. */
static void try_kernel_touch(void)
{
        char *area = map(2 * PAGE_SIZE);
        long result = write(1, area, 0);
        check(!result, "kernel", "reads nothing: %ld", result);
        result = system_call(NUMBER_toll_row, 0, area + PAGE_SIZE - 2);
        check(!result && area[PAGE_SIZE], "kernel", "writes across two new pages: %ld", result);
        protect(area, PAGE_SIZE, PROT_READ);
        result = system_call(NUMBER_toll_row, 0, area);
        check(result == -EFAULT, "kernel", "does not write to a page of text: %ld", result);
        unmap(area, PAGE_SIZE);
        result = system_call(NUMBER_toll_row, 0, area);
        check(result == -EFAULT, "kernel", "nor to what was unmapped: %ld", result);
        unmap(area, 2 * PAGE_SIZE);
}

static void try_protect(void)
{
        char *area = map(8 * PAGE_SIZE);
        memset(area, 7, 8 * PAGE_SIZE);
        check(!protect(area + PAGE_SIZE, PAGE_SIZE, PROT_NONE), "mprotect", "to none");
        check(!protect(area + PAGE_SIZE, PAGE_SIZE, BOTH) && area[PAGE_SIZE] == 7, "mprotect",
              "and back: the page was kept");
        area[PAGE_SIZE] = 8;
        check(!protect(area, 8 * PAGE_SIZE, PROT_READ) && area[PAGE_SIZE] == 8, "mprotect",
              "to reading");
        check(!protect(area, 8 * PAGE_SIZE, BOTH), "mprotect", "and back");
        unmap(area + 2 * PAGE_SIZE, PAGE_SIZE);
        check(protect(area, 8 * PAGE_SIZE, PROT_READ) == -ENOMEM, "mprotect", "over a hole");
        area[7 * PAGE_SIZE] = 1;
        check(system_call(NUMBER_toll_row, 0, area) == -EFAULT, "mprotect", "the part before it");
        check(unmap(area, 8 * PAGE_SIZE) == 0, "munmap", "over a hole");
}

static void try_refusals(void)
{
        char *area = map(PAGE_SIZE);
        const long both = BOTH, ours = OURS;
        const struct {
                const char *name;
                long result, wanted;
        } tries[] = {
                {"writable code", map_at(0, PAGE_SIZE, PROT_WRITE | PROT_EXEC, ours), -EACCES},
                {"to writable code", protect(area, PAGE_SIZE, PROT_WRITE | PROT_EXEC), -EACCES},
                {"no file", map_at(0, PAGE_SIZE, both, MAP_PRIVATE), -EBADF},
                {"unknown advice", madvise((uintptr_t)area, PAGE_SIZE, 99), -EINVAL},
                {"advice about a hole", madvise((uintptr_t)area, 1 << 30, MADV_RANDOM), -ENOMEM},
                {"neither shared nor private", map_at(0, PAGE_SIZE, both, MAP_ANONYMOUS), -EINVAL},
                {"nothing", map_at(0, 0, both, ours), -EINVAL},
                {"all", map_at(0, ~(size_t)0, both, ours), -ENOMEM},
                {"more than the machine has", map_at(0, 1 << 30, both, ours), -ENOMEM},
                {"page 0", map_at(0, PAGE_SIZE, both, ours | MAP_FIXED), -EPERM},
                {"no page", map_at((uintptr_t)area + 1, PAGE_SIZE, both, ours | MAP_FIXED),
                 -EINVAL},
                {"over the end", map_at(~(uintptr_t)0xfff, PAGE_SIZE, both, ours | MAP_FIXED),
                 -ENOMEM},
                {"what is there",
                 map_at((uintptr_t)area, PAGE_SIZE, both, ours | MAP_FIXED_NOREPLACE), -EEXIST},
                {"munmap of no page", unmap(area + 1, PAGE_SIZE), -EINVAL},
                {"munmap of nothing", unmap(area, 0), -EINVAL},
                {"munmap of all", unmap(area, ~(size_t)0xfff), -EINVAL},
                {"mprotect of no page", protect(area + 1, PAGE_SIZE, both), -EINVAL},
                {"unknown access", protect(area, PAGE_SIZE, 0x40), -EINVAL}};
        for (size_t i = 0; i < sizeof tries / sizeof *tries; i++)
                check(tries[i].result == tries[i].wanted, "refused", "%s: %ld", tries[i].name,
                      tries[i].result);
        unmap(area, PAGE_SIZE);
}

/* On i386 a word is too small for the number of pages up to its end. */
static void try_last_offset(void)
{
        char names[6][65];
        system_call(NUMBER_uname, names);
        bool counted = names[4][0] != 'i';
        long at = system_call(LIBC_mmap, 0, 2 * PAGE_SIZE, PROT_READ, OURS, -1,
                              WIDE ? -(long)PAGE_SIZE : -1);
        check(counted ? !failed(at) : at == -EOVERFLOW, "refused", "the last offset: %ld", at);
        if (!failed(at))
                unmap((void *)at, 2 * PAGE_SIZE);
}

static void try_places(void)
{
        char *area = map(4 * PAGE_SIZE);
        memset(area, 9, 4 * PAGE_SIZE);
        uintptr_t second = (uintptr_t)area + PAGE_SIZE;
        check(map_at(second, PAGE_SIZE, BOTH, OURS | MAP_FIXED) == (long)second, "fixed",
              "replaces");
        check(is_zero((char *)second, PAGE_SIZE) && area[0] == 9 && area[2 * PAGE_SIZE] == 9,
              "fixed", "one page, by zeros");
        unmap((char *)second, PAGE_SIZE);
        check(map_at(second, PAGE_SIZE, BOTH, OURS) == (long)second, "hint", "taken where free");
        long other = map_at(second, PAGE_SIZE, BOTH, OURS);
        check(!failed(other) && other != (long)second, "hint", "and only there");
        unmap((char *)other, PAGE_SIZE);
        unmap(area, 4 * PAGE_SIZE);

        char *shared = (char *)map_at(0, 2 * PAGE_SIZE, BOTH, MAP_SHARED | MAP_ANONYMOUS);
        check(!failed((long)shared) && is_zero(shared, 2 * PAGE_SIZE), "shared", "zeros");
        shared[0] = 1;
        unmap(shared, 2 * PAGE_SIZE);

        char *stack = (char *)map_at(0x20000000, PAGE_SIZE, BOTH, OURS | MAP_GROWSDOWN);
        check(stack == (char *)0x20000000, "growsdown", "mapped");
        for (size_t i = 0; i < PAGES; i++)
                stack[-(long)(i * PAGE_SIZE)] = 1;
        unmap(stack - (32 << 20), (32 << 20) + PAGE_SIZE);
}

/* After 1000 uses no memory is lost: areas, tables and frames. */
static void try_often(void)
{
        for (unsigned i = 0; i < 1000; i++) {
                char *area = map(sizeof zeros);
                if (failed((long)area)) {
                        check(false, "often", "round %u: %ld", i, (long)area);
                        return;
                }
                for (unsigned page = 0; page < PAGES; page += 1 + i % 7)
                        area[page * PAGE_SIZE] = 1;
                protect(area + i % PAGES * PAGE_SIZE, PAGE_SIZE, PROT_READ);
                unmap(area, sizeof zeros);
        }
        check(true, "often", "1000 areas");
}

/* Protects every other page: at some number of areas that must fail. */
static void try_many(void)
{
        size_t size = 2048 * PAGE_SIZE, at = 0;
        char *area = (char *)map_at(0, size, PROT_NONE, OURS);
        long result = 0;
        while (!result && at < size) {
                result = protect(area + at, PAGE_SIZE, PROT_READ);
                at += 2 * PAGE_SIZE;
        }
        check(result == -ENOMEM, "many", "%lu areas: %ld", (unsigned long)(at / PAGE_SIZE), result);
        check(!unmap(area, size), "many", "given back");
}

/* The median cost of PAGES pages, without the RDTSC pair; with `exact`, in instructions. */
static int64_t cost_of(char *area)
{
        for (unsigned i = 0; i < PAGES; i++) {
                uint64_t start = tsc();
                *(volatile char *)(area + i * PAGE_SIZE) = 1;
                uint64_t end = tsc();
                costs[i] = (int64_t)(end - start);
        }
        for (unsigned i = 1; i < PAGES; i++)
                for (unsigned j = i; j && costs[j] < costs[j - 1]; j--) {
                        int64_t other = costs[j];
                        costs[j] = costs[j - 1];
                        costs[j - 1] = other;
                }
        return costs[PAGES / 2];
}

static void try_cost(void)
{
        char *area = map(sizeof zeros);
        int64_t fault = cost_of(area), none = cost_of(area);
        check(fault > none, "cost", "demand-zero page fault: %lld", (long long)(fault - none));
        unmap(area, sizeof zeros);
}

static void unmapped(void)
{
        char *area = map(PAGE_SIZE);
        *area = 1;
        unmap(area, PAGE_SIZE);
        *(volatile char *)area = 2;
}

static void forbidden(void)
{
        char *area = map(PAGE_SIZE);
        *area = 1;
        protect(area, PAGE_SIZE, PROT_NONE);
        (void)*(volatile char *)area;
}

static void read_only(void)
{
        char *area = map(PAGE_SIZE);
        *area = 1;
        protect(area, PAGE_SIZE, PROT_READ);
        *(volatile char *)area = 2;
}

static void untouched_read_only(void)
{
        *(volatile char *)map_at(0, PAGE_SIZE, PROT_READ, OURS) = 2;
}

static void behind_brk(void)
{
        uintptr_t heap = (uintptr_t)set_break(0);
        set_break(heap + PAGE_SIZE);
        *(volatile char *)(heap + PAGE_SIZE) = 1;
}

/* The page below the stack's last one stays unmapped, however much is mapped. */
static void stack(void)
{
        volatile char *page = (volatile char *)((uintptr_t)&page & ~(uintptr_t)(PAGE_SIZE - 1));
        for (size_t size = (size_t)1 << (WIDE ? 46 : 30); size >= PAGE_SIZE; size /= 2)
                while (!failed(map_at(0, size, PROT_NONE, OURS)))
                        ;
        for (unsigned pages = 0;; pages++, page -= PAGE_SIZE) {
                *page = 1;
                if (pages % 256 == 0)
                        print("stack: %u MiB\n", pages / 256);
        }
}

static void eat_all(void)
{
        for (;;) {
                char *area = map(1 << 20);
                for (unsigned i = 0; i < 256; i++)
                        area[i * PAGE_SIZE] = 1;
        }
}

static void lock_all(void)
{
        while (!SYS(mlock, map(1 << 20), 1 << 20))
                ;
}

/* Each of the 900 pages, not a quarter of 16 MiB, has two tables on amd64. */
static void spread(void)
{
        for (uintptr_t i = 1; i <= 900; i++)
                *(char *)map_at(i << 30, PAGE_SIZE, BOTH, OURS | MAP_FIXED) = 1;
}

/* A child has eaten most, and sleeps. Another one touches new pages, not a quarter of all. */
static void beside(void (*eat)(void), unsigned pages)
{
        int ends[2] = {0};
        long eater, other = fork();
        if (!other) {
                char *area = map(pages * PAGE_SIZE);
                sleep_ms(100);
                for (unsigned i = 0; i < pages; i++)
                        area[i * PAGE_SIZE] = 1;
                exit_group(3);
        }
        if (!(eater = fork())) {
                eat();
                for (;;)
                        pause();
        }
        wait4((int)other, &ends[1], 0, NULL);
        kill(eater, SIGTERM);
        wait4((int)eater, &ends[0], 0, NULL);
        check(ends[0] == SIGKILL && ends[1] == 3 << 8, "eat-beside",
              "the one with most of it ends, the other lives: %x, %x", ends[0], ends[1]);
        exit_group(check_status());
}

/* None of the children has a quarter of 32 MiB. */
static void eat_shares(void)
{
        char *area = map(200 * PAGE_SIZE);
        for (unsigned n = 0; n < 8; n++)
                if (!fork()) {
                        char *own = map(1500 * PAGE_SIZE);
                        for (unsigned i = 0; i < 1500 && counts_now().frames > 16; i++)
                                own[i * PAGE_SIZE] = 1;
                        for (;;)
                                pause();
                }
        sleep_ms(300);
        for (unsigned i = 0; i < 200; i++)
                area[i * PAGE_SIZE] = 1;
        check(true, "eat-shares", "the first program lives");
        exit_group(check_status());
}

static void eat_beside(void)
{
        beside(lock_all, 512);
}

static void eat_tables(void)
{
        beside(spread, 950);
}

static const struct way {
        const char *name;
        void (*die)(void);
} ways[] = {{"unmapped", unmapped},     {"forbidden", forbidden},
            {"read-only", read_only},   {"untouched-read-only", untouched_read_only},
            {"behind-brk", behind_brk}, {"stack", stack},
            {"eat-all", eat_all},       {"eat-beside", eat_beside},
            {"eat-tables", eat_tables}, {"eat-shares", eat_shares}};

/* Takes all free frames, and 200 of those that the kernel has for objects. */
static void touch_more(void)
{
        size_t count = counts_now().frames + 200;
        char *area = map(count * PAGE_SIZE);
        for (size_t i = 0; i < count; i++)
                area[i * PAGE_SIZE] = 1;
        exit_group(0);
}

static long forked(void (*run)(void))
{
        long pid = fork();
        if (!pid)
                run();
        return pid;
}

static void hold_all(void)
{
        while (system_call(NUMBER_eventfd2, 0, 0) >= 0)
                ;
        for (;;)
                pause();
}

/* The processor is never idle. */
static void keep_busy(void)
{
        for (;;)
                system_call(NUMBER_sched_yield);
}

static void end(long pid)
{
        kill((int)pid, SIGKILL);
        wait4((int)pid, NULL, 0, NULL);
}

/* The kernel's memory for objects of programs that have ended is free again: after a moment, or for
 * who needs it, if others leave no moment. */
static void try_objects(bool busy)
{
        enum { HOLDERS = 24 };
        struct toll_counts before = counts_settled(), high, after;
        long holders[HOLDERS], other;
        int status = 0;
        for (unsigned n = 0; n < HOLDERS; n++)
                holders[n] = forked(hold_all);
        sleep_ms(500);
        high = counts_now();
        other = busy ? forked(keep_busy) : 0;
        for (unsigned n = 0; n < HOLDERS; n++)
                end(holders[n]);
        if (busy) {
                wait4((int)forked(touch_more), &status, 0, NULL);
                end(other);
        }
        after = counts_settled();
        check(high.heap_frames > before.heap_frames + 240, "objects",
              "%u frames for all descriptors", high.heap_frames - before.heap_frames);
        check(!status && after.heap_frames <= before.heap_frames + 24, "objects",
              "%d of %u frames stay; status %x", (int)(after.heap_frames - before.heap_frames),
              high.heap_frames - before.heap_frames, (unsigned)status);
}

int main(int argc, char **argv)
{
        const char *only = option(argv, "only");
        for (size_t i = 0; only && *only && i < sizeof ways / sizeof *ways; i++)
                if (!strcmp(ways[i].name, only))
                        ways[i].die();
        if (only && *only)
                return 0;
        try_demand_zero();
        try_brk();
        try_kernel_touch();
        try_protect();
        try_refusals();
        try_last_offset();
        try_places();
        try_often();
        try_many();
        try_cost();
        try_objects(true);
        try_objects(false);
        return check_status();
}
