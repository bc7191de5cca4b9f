/* stamps.c - checks an area of MAP_STAMPED: its words are their addresses XOR MARK. */
#include "linux.h"

#define OURS (MAP_PRIVATE | MAP_ANONYMOUS)
#define BOTH (PROT_READ | PROT_WRITE)
#define PAGE 4096u
#define PAGES (24 + RANDOM % 64)
#define FAR ((WIDE && !at_cpl_0() ? 1u << 20 : 65536) + RANDOM % 65536) /* beyond 4 GiB */
#define STAMPED 0x2000000                                               /* MAP_STAMPED */

static uintptr_t *page_of(uintptr_t *area, unsigned page)
{
        return area + (size_t)page * PAGE / sizeof *area;
}

static const char *program;

/* A check result of this program: /bin/stamps, /compat/stamps or /trusted/stamps. */
static void tell(bool ok, const char *kind, const char *what, unsigned long found)
{
        char whole[80];
        snprintf(whole, sizeof whole, "%s %s", program, kind);
        check(ok, whole, "%s: %lx", what, found);
}

static uintptr_t stamp(const uintptr_t *at)
{
        return (uintptr_t)at ^ MARK;
}

/* The number of words in a page that are not their stamps. */
static unsigned wrong_words(const uintptr_t *at)
{
        unsigned wrong = 0;
        for (unsigned i = 0; i < PAGE / sizeof *at; i++)
                wrong += at[i] != stamp(&at[i]);
        return wrong;
}

/* No page exists before it is touched. */
static uintptr_t *map(unsigned pages, int access)
{
        uint32_t before = counts_now().frames;
        long start = mmap(0, (size_t)pages * PAGE, access, OURS | STAMPED);
        uint32_t made = before - counts_now().frames;
        tell(made < PAGES / 2, "read", "pages made that nobody has touched", made);
        return (uintptr_t *)start;
}

/* The last pages, of more than the machine has frames. */
static void try_far(void)
{
        uintptr_t *area = map(FAR, PROT_READ), *at = page_of(area, FAR - 1 - RANDOM % 8);
        tell(!wrong_words(at), "read", "words wrong near the end", wrong_words(at));
        munmap((uintptr_t)area, (size_t)FAR * PAGE);
}

static void try_touch(uintptr_t *area)
{
        tell(!wrong_words(page_of(area, 1)), "read", "words wrong", wrong_words(page_of(area, 1)));
        uintptr_t *at = page_of(area, 2);
        at[7] = 7;
        tell(at[7] == 7 && wrong_words(at) == 1, "write", "words wrong", wrong_words(at));
        uintptr_t *untouched = page_of(area, 3);
        int pipes[2];
        pipe(pipes);
        uintptr_t seen[2] = {0};
        long written = write(pipes[1], untouched, sizeof seen);
        read(pipes[0], seen, sizeof seen);
        tell(written == sizeof seen && seen[1] == stamp(&untouched[1]), "kernel",
             "the second word that the kernel read", seen[1]);
        at = page_of(area, 8);
        long child = toll_call(NUMBER_clone, CLONE_CHILD_SETTID | SIGCHLD, 0, 0, at, at);
        if (!child)
                exit_group(wrong_words(at) != 1);
        int status = 0;
        wait4((int)child, &status, 0, NULL);
        tell(!status, "kernel", "a child in whose page its number is written", (unsigned)status);
        mprotect((uintptr_t)page_of(area, 9), PAGE, PROT_READ);
        tell(!wrong_words(page_of(area, 9)), "read", "words wrong after mprotect",
             wrong_words(page_of(area, 9)));
        uintptr_t *none = map(PAGES, 0);
        mprotect((uintptr_t)none, PAGES * PAGE, BOTH);
        tell(!wrong_words(none), "read", "words wrong of what had no access", wrong_words(none));
        munmap((uintptr_t)none, (size_t)PAGES * PAGE);
        const uintptr_t *readable = map(PAGES, PROT_READ);
        tell(!wrong_words(readable), "read", "words wrong that may only be read",
             wrong_words(readable));
        munmap((uintptr_t)readable, (size_t)PAGES * PAGE);
}

/* Single pages anywhere. */
static void try_anywhere(void)
{
        const unsigned bits = WIDE && !at_cpl_0() ? 47 : 31;
        uint64_t drawn = RANDOM;
        for (unsigned i = 0; i < 60; i++) {
                drawn = drawn * 6364136223846793005u + 1442695040888963407u;
                uintptr_t at = (uintptr_t)(drawn >> (64 - bits)) & ~(uintptr_t)(PAGE - 1);
                long start = mmap(at, PAGE, PROT_READ, OURS | STAMPED | MAP_FIXED_NOREPLACE);
                if ((uintptr_t)start != at)
                        continue;
                tell(!wrong_words((const uintptr_t *)at), "read", "words wrong at", at);
                munmap(at, PAGE);
        }
}

/* One area directly behind another kind's. */
static void try_beside(void)
{
        uintptr_t at = (uintptr_t)mmap(0, 4 * PAGE, BOTH, OURS);
        munmap(at, 4 * PAGE);
        mmap(at, 2 * PAGE, BOTH, OURS | MAP_FIXED);
        mmap(at + 2 * PAGE, 2 * PAGE, BOTH, OURS | MAP_FIXED | STAMPED);
        const uintptr_t *stamped = (const uintptr_t *)(at + 2 * PAGE);
        tell(!*(const uintptr_t *)at, "zeros", "a word before an area of stamps",
             *(const uintptr_t *)at);
        tell(!wrong_words(stamped), "read", "words wrong behind an area of zeros",
             wrong_words(stamped));
        munmap(at, 4 * PAGE);
}

/* Children write to its pages, and end. */
static void try_children(void)
{
        uint32_t before = 0;
        for (unsigned round = 0; round < 5; round++) {
                uintptr_t *at = map(16, BOTH);
                for (unsigned i = 0; i < 16; i++)
                        page_of(at, i)[0] = i;
                long child = fork();
                unsigned wrong = 0;
                int status = 0;
                for (unsigned i = 0; !child && i < 16; i++) {
                        page_of(at, i)[0] = 5;
                        wrong += wrong_words(page_of(at, i)) != 1;
                }
                if (!child)
                        exit_group(wrong != 0);
                wait4((int)child, &status, 0, NULL);
                tell(!status, "fork", "a child that writes", (unsigned long)status);
                munmap((uintptr_t)at, (size_t)16 * PAGE);
                at = map(6000, BOTH); /* of many tables */
                for (unsigned i = 0; i < 6000; i += 64)
                        page_of(at, i)[0] = i;
                madvise((uintptr_t)at, (size_t)3000 * PAGE, MADV_DONTNEED);
                munmap((uintptr_t)at, (size_t)6000 * PAGE);
                if (!round)
                        before = counts_now().frames;
        }
        tell(counts_now().frames >= before, "frames", "lost by children that write",
             before - counts_now().frames);
}

/* After page tables have been freed, nearly all memory is touched. */
static void try_all(void)
{
        const size_t tables = 200, stride = (size_t)4 << 20;
        uintptr_t sparse = (uintptr_t)mmap(0, tables * stride, PROT_READ, OURS);
        for (size_t i = 0; i < tables && sparse < (uintptr_t)-PAGE; i++)
                (void)*(volatile char *)(sparse + i * stride);
        munmap(sparse, tables * stride);
        unsigned pages = counts_now().frames - 200, wrong = 0;
        uintptr_t *all = (uintptr_t *)mmap(0, (size_t)pages * PAGE, BOTH, OURS | STAMPED);
        for (unsigned i = 0; i < pages && (uintptr_t)all < (uintptr_t)-PAGE; i++)
                wrong += *page_of(all, i) != stamp(page_of(all, i));
        tell(!wrong, "read", "pages without stamps in all of the memory", wrong);
        munmap((uintptr_t)all, (size_t)pages * PAGE);
}

static void try_fork(uintptr_t *area)
{
        page_of(area, 4)[1] = 11;
        int status = 0;
        long child = fork();
        if (!child) {
                bool whole = page_of(area, 4)[1] == 11 && wrong_words(page_of(area, 4)) == 1 &&
                             !wrong_words(page_of(area, 5));
                page_of(area, 4)[1] = page_of(area, 4)[3] = page_of(area, 5)[1] = 12;
                exit_group(whole ? 0 : 1);
        }
        wait4((int)child, &status, 0, NULL);
        tell(!status, "fork", "the child's status", (unsigned long)status);
        status = page_of(area, 4)[1] == 11 && wrong_words(page_of(area, 4)) == 1;
        tell(status && !wrong_words(page_of(area, 5)), "fork", "what the parent finds then",
             page_of(area, 4)[1]);
}

static void try_again(uintptr_t *area)
{
        uintptr_t *at = page_of(area, 6);
        at[0] = 1;
        madvise((uintptr_t)at, PAGE, MADV_DONTNEED);
        tell(!wrong_words(at), "again", "words wrong after MADV_DONTNEED", wrong_words(at));
        at[0] = 1;
        madvise((uintptr_t)area, (size_t)PAGES * PAGE, MADV_DONTNEED);
        tell(!wrong_words(at), "again", "words wrong after it of all", wrong_words(at));
}

/* The number of pages that /proc/self/statm says this program has. */
static unsigned resident(void)
{
        char text[80] = "";
        int fd = open("/proc/self/statm", 0, 0);
        read(fd, text, sizeof text - 1);
        close(fd);
        unsigned pages = 0;
        for (const char *at = strchr(text, ' ') + 1; *at != ' '; at++)
                pages = pages * 10 + (unsigned)(*at - '0');
        return pages;
}

static void try_frames(void)
{
        uint32_t before = 0, pages = resident();
        for (unsigned round = 0; round < 4; round++) {
                uintptr_t *area = map(PAGES, round < 3 ? BOTH : PROT_READ);
                for (unsigned i = 0; i < PAGES; i++)
                        if (round < 3)
                                page_of(area, i)[0] = i;
                        else
                                (void)*(volatile uintptr_t *)page_of(area, i);
                tell(resident() == pages + PAGES, "frames", "pages resident", resident() - pages);
                munmap((uintptr_t)area, (size_t)PAGES * PAGE);
                if (!round)
                        before = counts_now().frames;
        }
        tell(counts_now().frames == before, "frames", "frames that are lost",
             before - counts_now().frames);
}

/* What mremap() adds has stamps, in place or elsewhere. */
static void try_longer(void)
{
        uintptr_t *area = map(8, BOTH);
        munmap((uintptr_t)page_of(area, 4), (size_t)4 * PAGE);
        area = (uintptr_t *)toll_call(NUMBER_mremap, area, 4 * PAGE, 8 * PAGE, 0);
        tell(!wrong_words(page_of(area, 6)), "read", "words wrong that mremap() added",
             wrong_words(page_of(area, 6)));
        area = (uintptr_t *)toll_call(NUMBER_mremap, area, 8 * PAGE, 100 * PAGE, 1);
        tell(!wrong_words(page_of(area, 99)), "read", "words wrong that a move added",
             wrong_words(page_of(area, 99)));
        uintptr_t *to = map(8, BOTH);
        toll_call(NUMBER_mremap, area, 8 * PAGE, 8 * PAGE, 3, to);
        tell(!wrong_words(page_of(to, 7)), "read", "words wrong after MREMAP_FIXED",
             wrong_words(page_of(to, 7)));
        munmap((uintptr_t)to, (size_t)8 * PAGE);
        munmap((uintptr_t)area, (size_t)100 * PAGE);
}

/* Beside a second thread, and where code may run. */
static void try_others(void)
{
        static uint8_t stack[8192] __attribute__((aligned(16)));
        const uintptr_t *code = map(1, PROT_READ | PROT_EXEC);
        tell(!wrong_words(code), "read", "words wrong where code may run", wrong_words(code));
        int status = 0, tid;
        long child = fork();
        if (!child) {
                thread_start(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD,
                             stack + sizeof stack, &tid, sleep_for_ever);
                exit_group(wrong_words((uintptr_t *)mmap(0, PAGE, BOTH, OURS | STAMPED)) != 0);
        }
        wait4((int)child, &status, 0, NULL);
        tell(!status, "read", "a child with a second thread", (unsigned)status);
}

static void try_refused(void)
{
        long first = mmap(0, PAGE, BOTH, OURS);
        munmap((uintptr_t)first, PAGE);
        long shared = mmap(0, PAGE, BOTH, MAP_SHARED | MAP_ANONYMOUS | STAMPED);
        long down = mmap(0, PAGE, BOTH, OURS | MAP_GROWSDOWN | STAMPED);
        tell(shared == -EINVAL, "refused", "shared", (unsigned long)shared);
        tell(down == -EINVAL, "refused", "growing down", (unsigned long)down);
        const char *zeros = (const char *)mmap(0, PAGE, BOTH, OURS);
        tell((long)zeros == first, "refused", "and not mapped: the next place", (uintptr_t)zeros);
        unsigned other = 0;
        for (unsigned i = 0; i < PAGE; i++)
                other += zeros[i] != 0;
        tell(!other, "zeros", "bytes that are not zero", other);
        char *there = (char *)mmap(0, PAGE, BOTH, OURS);
        there[0] = 5;
        long over = mmap((uintptr_t)there, PAGE, BOTH,
                         MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED | STAMPED);
        tell(over == -EINVAL && there[0] == 5, "refused", "and what is there stays", over);
        munmap((uintptr_t)there, PAGE);
        for (int bit = 0x40; bit < 0x100000; bit *= 2) { /* MAP_32BIT, ... */
                long at = mmap(0, PAGE, BOTH, OURS | STAMPED | bit);
                if ((unsigned long)at > -(unsigned long)PAGE)
                        continue;
                tell(!wrong_words((uintptr_t *)at), "read", "words wrong with one more flag", bit);
                munmap((uintptr_t)at, PAGE);
        }
}

int main(int argc, char **argv)
{
        program = argv[0];
        uintptr_t *area = map(PAGES, BOTH);
        try_touch(area);
        try_far();
        try_fork(area);
        try_again(area);
        munmap((uintptr_t)area, (size_t)PAGES * PAGE);
        try_frames();
        try_anywhere();
        try_beside();
        try_children();
        try_all();
        try_longer();
        try_others();
        try_refused();
        tell(true, "refused", "the end", 0);
        return check_status();
}
