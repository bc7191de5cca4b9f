/*
 * latency.c - how long each call keeps interrupts off: the longest stretch seen, over calls that
 * have much to do, the attacks and torture. No more than 50,000 instructions, whatever is asked
 * for.
 */
#include "calls.h"
#include "child.h"
#include "linux.h"
#include "progress.h"
#include "result.h"
#include "toll.h"

#define MOST 50000
#define LIMIT 120000 /* milliseconds for one part */
#define BIG (16 << 20)
#define NAMES 1500
#define THREAD (CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD)
#define SYS(name, ...) system_call(NUMBER_##name, __VA_ARGS__)

static char buffer[256 << 10], name[300];
static uint8_t stacks[100][1024] __attribute__((aligned(16)));
static volatile int never;

static char *map(size_t size, int flags)
{
        return (char *)mmap(0, size, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | flags);
}

static void touch(char *at, size_t size, size_t step)
{
        for (size_t i = 0; i < size; i += step)
                at[i] = 1;
}

/* Pages side by side, far apart, shared; areas without number. */
static void memory(void)
{
        char *big = map(BIG, MAP_PRIVATE);
        touch(big, BIG, PAGE_SIZE);
        mprotect((uintptr_t)big, BIG, PROT_READ);
        mprotect((uintptr_t)big, BIG, PROT_READ | PROT_WRITE);
        if (!fork()) {
                madvise((uintptr_t)big, BIG, MADV_DONTNEED);
                exit_group(0);
        }
        wait4(-1, NULL, 0, NULL);
        char *room = map(BIG, MAP_PRIVATE);
        SYS(mremap, big, BIG, BIG, MREMAP_MAYMOVE | MREMAP_FIXED, room);
        munmap((uintptr_t)room, BIG);
        char *shared = map(BIG / 2, MAP_SHARED);
        munmap((uintptr_t)shared, BIG / 2);
        size_t span = WIDE ? (size_t)64 << 30 : 512 << 20;
        char *wide = (char *)mmap(0, span, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS);
        for (size_t i = 0; i < span; i += span / 128)
                (void)*(volatile char *)(wide + i);
        mprotect((uintptr_t)wide, span, PROT_NONE);
        munmap((uintptr_t)wide, span);
        char *areas = map(2048 * PAGE_SIZE, MAP_PRIVATE);
        for (size_t i = 0; i < 1000; i++)
                mprotect((uintptr_t)areas + i * 2 * PAGE_SIZE, PAGE_SIZE, PROT_READ);
        map(PAGE_SIZE, MAP_PRIVATE | MAP_GROWSDOWN);
        if (!fork())
                exit_group(0);
        wait4(-1, NULL, 0, NULL);
        mprotect((uintptr_t)areas, 2048 * PAGE_SIZE, PROT_READ);
        munmap((uintptr_t)areas, 2048 * PAGE_SIZE);
}

/* A file in many areas, of two processes, whose end is cut off. */
static void mapped(void)
{
        int file = (int)open("content", O_CREAT | O_RDWR | O_TRUNC, 0755);
        SYS(ftruncate, file, BIG / 2);
        char *at = (char *)mmap_file(BIG / 2, PROT_READ | PROT_WRITE, MAP_SHARED, file);
        touch(at, BIG / 2, PAGE_SIZE);
        for (size_t i = 0; i < 500; i++)
                mprotect((uintptr_t)at + i * 2 * PAGE_SIZE, PAGE_SIZE, PROT_READ);
        if (!fork()) {
                msync((uintptr_t)at, BIG / 2, MS_SYNC);
                SYS(ftruncate, file, PAGE_SIZE);
                exit_group(0);
        }
        wait4(-1, NULL, 0, NULL);
        munmap((uintptr_t)at, BIG / 2);
        close(file);
        unlink("content");
}

static void content(void)
{
        int file = (int)open("content", O_CREAT | O_RDWR | O_TRUNC, 0755);
        for (int i = 0; i < 32; i++)
                write(file, buffer, sizeof buffer);
        SYS(lseek, file, 0, 0);
        read(file, buffer, sizeof buffer);
        close(file);
        file = (int)open("/dev/zero", O_RDONLY, 0);
        read(file, buffer, sizeof buffer);
        static uintptr_t vectors[1024][2];
        for (size_t i = 0; i < 1024; i++)
                vectors[i][0] = (uintptr_t)buffer, vectors[i][1] = 8192;
        SYS(readv, file, vectors, 1024);
        close(file);
        close((int)open("content", O_WRONLY | O_TRUNC, 0));
        unlink("content");
        memset(buffer, '\n', 200);
        write(1, buffer, 200);
}

static const char *numbered(int i)
{
        memset(name, 'a', 200);
        snprintf(name + 200, sizeof name - 200, "%05d", i);
        return name;
}

static void names(void)
{
        struct stat s;
        mkdir("d", 0755);
        chdir("d");
        mkdir("z", 0755);
        for (int i = 0; i < NAMES; i++)
                mkdir(numbered(i), 0755);
        int here = (int)open(".", O_RDONLY, 0);
        getdents64(here, buffer, sizeof buffer);
        close(here);
        lstat(".", &s);
        rename(numbered(0), "other");
        rename("other", numbered(0));
        for (int link = 0; link < 40; link++) {
                size_t at = 0;
                for (; at < 4000; at += 5)
                        memcpy(buffer + at, "z/../", 5);
                snprintf(buffer + at, 32, "l%d", link + 1);
                snprintf(name, sizeof name, "l%d", link);
                symlink(buffer, name);
        }
        open("l0", O_RDONLY, 0);
        open("l39", O_RDONLY, 0);
        for (int i = 0; i < 40; i++) {
                snprintf(name, sizeof name, "l%d", i);
                unlink(name);
        }
        for (int i = 0; i < NAMES; i++)
                rmdir(numbered(i));
        rmdir("z");
        chdir("..");
        rmdir("d");
}

static void sleep_here(void)
{
        const struct timespec time = {0, 300000000};
        for (;;)
                SYS(futex, &never, FUTEX_WAIT, 0, &time);
}

static void threads(void)
{
        if (!fork()) {
                const struct timespec moment = {1, 0};
                for (size_t i = 0; i < 100; i++)
                        thread_start(THREAD, stacks[i] + sizeof stacks[i], NULL, sleep_here);
                system_call(NUMBER_sched_yield);
                SYS(futex, &never, FUTEX_WAKE, 1000);
                nanosleep(&moment, NULL);
                exit_group(0);
        }
        wait4(-1, NULL, 0, NULL);
        long pid = fork();
        if (!pid) {
                setpgid(0, 0);
                for (int i = 0; i < 150; i++)
                        if (!fork())
                                for (;;)
                                        pause();
                kill(0, SIGCONT);
                exit_group(0);
        }
        wait4(pid, NULL, 0, NULL);
        kill(-pid, SIGUSR1);
        while (wait4(-1, NULL, 0, NULL) > 0)
                ;
}

static void execute(void)
{
        static const char *const paths[] = {"headers", "notes", "more-notes", "/bin/true"};
        char *one[] = {"x", NULL}, *many[2000];
        for (size_t i = 0; i < 1999; i++)
                many[i] = "an argument of some length, for it is copied piece by piece";
        many[1999] = NULL;
        for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
                if (!fork()) {
                        execve(paths[i], i < 3 ? one : many, one);
                        exit_group(0);
                }
                wait4(-1, NULL, 0, NULL);
        }
}

static void put(size_t at, size_t size, unsigned long value)
{
        memcpy(buffer + at, &value, size);
}

/* One program header, of `words` in the file's order for 64 bits. */
static void put_header(size_t index, unsigned type, unsigned long at, size_t offset, size_t size)
{
        size_t start = 64 + index * (WIDE ? 56 : 32), word = sizeof(long);
        const unsigned long words[] = {offset, at, at, size, size};
        put(start, 4, type);
        put(start + (WIDE ? 4 : 24), 4, 5); /* to read and execute */
        for (size_t i = 0; i < 5; i++)
                put(start + (WIDE ? 8 : 4) + i * word, word, words[i]);
}

/* A program of 256 KiB: `headers` of them, of which one is loaded and four are notes, of zeros. */
static void make_program(const char *path, unsigned headers, size_t notes)
{
        const unsigned long text = 0x8048000;
        memset(buffer, 0, sizeof buffer);
        memcpy(buffer, "\177ELF", 4);
        put(4, 1, WIDE ? 2 : 1);
        put(5, 2, 0x101);
        put(16, 2, 2);
        put(18, 2, WIDE ? 62 : 3);
        put(24, sizeof(long), text);
        put(WIDE ? 32 : 28, 2, 64);
        put(WIDE ? 54 : 42, 2, WIDE ? 56 : 32);
        put(WIDE ? 56 : 44, 2, headers);
        put_header(0, 1, text, 0, 4096);
        for (size_t i = 1; i < 5; i++)
                put_header(i, 4, 0, 8192, notes);
        int file = (int)open(path, O_CREAT | O_WRONLY | O_TRUNC, 0755);
        write(file, buffer, sizeof buffer);
        close(file);
}

static void deeds(void)
{
        mkdir("/tmp/latency", 0755);
        chdir("/tmp/latency");
        memory();
        mapped();
        content();
        names();
        make_program("headers", 4000, 0);
        make_program("notes", 5, 16384);
        make_program("more-notes", 5, 200 << 10);
        execute();
        unlink("headers");
        unlink("notes");
        unlink("more-notes");
        threads();
        chdir("/");
        rmdir("/tmp/latency");
}

/* Another program, in the directory of this one, if it is there. */
static void part(const char *self, const char *other, char *only)
{
        char path[64];
        const char *slash = strchr(self + 1, '/');
        char *arguments[] = {path, only, NULL}, *environment[] = {NULL};
        snprintf(path, sizeof path, "%.*s/%s", (int)(slash - self), self, other);
        struct stat s;
        if (stat(path, &s))
                return;
        progress_row(other);
        long pid = fork();
        if (!pid) {
                execve(path, arguments, environment);
                exit_group(127);
        }
        int status = child_wait(pid, LIMIT);
        check(!status, other, "its status %x", (unsigned)status);
}

static void record(const char *origin, const struct named_call *call, const struct toll_latency *l)
{
        static int64_t value[1];
        struct statistics s;
        char id[64];
        value[0] = (int64_t)l->longest;
        statistics_of(&s, value, 1);
        snprintf(id, sizeof id, "%s/%s/off", origin, call->name);
        print_result("latency", id, "", &s);
        print("  %-36s %8lld  %8u calls\n", id, (long long)l->longest, l->calls);
}

int main(int argc, char **argv)
{
        (void)argc;
        const char *only = option(argv, "only");
        uintptr_t cs;
        uint64_t longest = 0;
        const char *which = "none";
        __asm__("mov %%cs, %0" : "=r"(cs));
        if (!(cs & 3)) /* its calls are direct, and leave interrupts on */
                return 0;
        const char *origin = program_origin(argv[0]);
        bool whole = !only || strcmp(only, "deeds");
        progress_begin(argv, "latency", whole ? 3 : 1); /* a part is a row: all figures come last */
        progress_row("deeds");
        if (SYS(toll_latency, TOLL_BEGIN, 0))
                return 2;
        deeds();
        if (whole) {
                part(argv[0], "attack", NULL);
                part(argv[0], "torture", NULL);
        }
        print("interrupts off, longest stretch of each call, in instructions:\n");
        for (unsigned i = 0; i < named_call_count; i++) {
                struct toll_latency l = {0};
                if (named_calls[i].number < 0 || SYS(toll_latency, named_calls[i].number, &l) ||
                    !l.calls)
                        continue;
                record(origin, &named_calls[i], &l);
                if (l.longest > longest) {
                        longest = l.longest;
                        which = named_calls[i].name;
                }
        }
        if (option_number(argv, "exact", 0))
                check(longest <= MOST, "interrupts off", "%lld at most, by %s", (long long)longest,
                      which);
        return check_status();
}
