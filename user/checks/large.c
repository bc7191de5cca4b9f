/* large.c - calls whose length depends on a program's memory: this program sleeps repeatedly,
 * beside one that frees, moves, protects, copies, fills or cuts off 64 MiB. Its sleeps must end
 * within the other's turns.
 *
 * `only`: beside this many pairs of such calls and of the suite latency's, drawn from `samples`,
 * with sizes doubled up to each one's maximum. A sleep ends within a turn of each of their threads,
 * plus one. With more than one pair, the maximum is 256 MiB, 1,000 mappings, or what the kind
 * allows. */
#include "../suites/latency/deeds.h"
#include "child.h"
#include "linux.h"
#include "result.h"

#define SIZE (64u << 20)
#define SIZE_MOST (256u << 20)
#define SLEEP 1000000 /* ns */
#define MOST 15000000 /* ns: the other has 10 ms, plus a stretch without interrupts */
#define TICK 10000000 /* ns */
#define THREAD (CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD)
#define PRIVATE (MAP_PRIVATE | MAP_ANONYMOUS)

static uint8_t stack[4096] __attribute__((aligned(16)));
static size_t bytes = SIZE;
static unsigned mappings = 64;
static const struct timespec span = {0, SLEEP};
static bool counted; /* records were counted: no more may appear */

static uintptr_t touch(uintptr_t at, size_t size)
{
        for (size_t i = 0; i < size; i += PAGE_SIZE)
                *(volatile uint8_t *)(at + i) = 1;
        return at;
}

static uintptr_t mapped(void)
{
        return touch((uintptr_t)mmap(0, bytes, PROT_READ | PROT_WRITE, PRIVATE), bytes);
}

static bool unmaps(void)
{
        return !munmap(mapped(), bytes);
}

static bool maps_over(void)
{
        uintptr_t at = mapped();
        return (uintptr_t)mmap(at, bytes, PROT_READ, PRIVATE | MAP_FIXED) == at;
}

static bool shrinks(void)
{
        long old = system_call(NUMBER_brk, 0);
        uintptr_t at = ((uintptr_t)old + PAGE_SIZE - 1) & ~(uintptr_t)(PAGE_SIZE - 1);
        system_call(NUMBER_brk, at + bytes);
        touch(at, bytes);
        return system_call(NUMBER_brk, old) == old;
}

static bool forgets(void)
{
        return !system_call(NUMBER_madvise, mapped(), bytes, MADV_DONTNEED);
}

static bool locks(void)
{
        uintptr_t at = (uintptr_t)mmap(0, bytes, PROT_READ | PROT_WRITE, PRIVATE);
        return !system_call(NUMBER_mlock, at, bytes);
}

static bool allocates(void)
{
        int file = (int)open("/tmp/large", O_CREAT | O_RDWR | O_TRUNC, 0600);
        long error = WIDE ? system_call(NUMBER_fallocate, file, 0, 0, bytes / 4)
                          : system_call(NUMBER_fallocate, file, 0, 0, 0, bytes / 4, 0);
        return !unlink("/tmp/large") && !system_call(NUMBER_ftruncate, file, 0) && !error;
}

static bool protects(void)
{
        return !mprotect(mapped(), bytes, PROT_READ);
}

static bool moves(void)
{
        uintptr_t at = mapped();
        long to = mmap(0, bytes, PROT_READ, PRIVATE);
        return system_call(NUMBER_mremap, at, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to) ==
               to;
}

/* Addresses without pages, many more than there is memory. */
static bool moves_nothing(void)
{
        size_t half = (size_t)1 << (WIDE ? 45 : 30);
        long at;
        while ((at = mmap(0, 2 * half, PROT_NONE, PRIVATE)) == -ENOMEM)
                half /= 2; /* a program in ring 0 has less */
        return system_call(NUMBER_mremap, at, half, half, MREMAP_MAYMOVE | MREMAP_FIXED,
                           at + (long)half) == at + (long)half;
}

static bool forks(void)
{
        int status = -1;
        mapped();
        long pid = fork();
        if (!pid)
                exit_group(0);
        return wait4(pid, &status, 0, NULL) == pid && !status;
}

static bool executes(void)
{
        const char *self = "/proc/self/exe";
        mapped();
        execve(self, (char *[]){(char *)self, "other", NULL}, (char *[]){NULL});
        return false;
}

static bool ends(void)
{
        return mapped();
}

static bool shares(void)
{
        long at = mmap(0, bytes, PROT_READ, MAP_SHARED | MAP_ANONYMOUS);
        return at > 0 || at < -4095;
}

/* Each page is mapped this many times. */
static bool cuts(void)
{
        size_t part = bytes / mappings & ~(size_t)(PAGE_SIZE - 1);
        int file = (int)open("/tmp/large", O_CREAT | O_RDWR | O_TRUNC, 0600);
        system_call(NUMBER_ftruncate, file, part);
        for (unsigned i = 0; i < mappings; i++) {
                uintptr_t at = (uintptr_t)mmap_file(part, PROT_READ, MAP_SHARED, file);
                for (size_t page = 0; page < part; page += PAGE_SIZE)
                        (void)*(volatile uint8_t *)(at + page);
        }
        return !unlink("/tmp/large") && !system_call(NUMBER_ftruncate, file, 1);
}

/* A removed file of more than half the memory. There may be less room for it. */
static int large_file(void)
{
        size_t size = bytes + bytes / 2;
        int file = (int)open("/tmp/removed", O_CREAT | O_RDWR | O_TRUNC, 0600);
        if (WIDE)
                system_call(NUMBER_fallocate, file, 0, 0, size);
        else
                system_call(NUMBER_fallocate, file, 0, 0, 0, size, 0);
        return file;
}

static bool removes(void)
{
        int file = large_file();
        return !unlink("/tmp/removed") && !close(file);
}

/* Its last user is a mapping, which ends with the program. */
static bool removes_mapped(void)
{
        mmap_file(PAGE_SIZE, PROT_READ, MAP_SHARED, large_file());
        return !unlink("/tmp/removed");
}

/* Addresses behind a file's end: no touch may leave a page table. */
static bool touches_nothing(void)
{
        int ends[2], file = (int)open("/tmp/removed", O_CREAT | O_RDWR | O_TRUNC, 0600);
        const size_t step = (size_t)2 << 20;
        size_t size = WIDE ? 8192 * step : 256 * step;
        long at;
        while ((at = mmap_file(size, PROT_READ, MAP_PRIVATE, file)) == -ENOMEM)
                size /= 2;
        pipe(ends);
        for (size_t i = 0; i < size; i += step)
                write(ends[1], (const char *)at + i, 1);
        return !unlink("/tmp/removed") && !munmap((uintptr_t)at, size);
}

#define POLLERS 20
#define POLLED 1000

static void poll_for_ever(int fd)
{
        static struct pollfd asked[POLLED];
        for (size_t i = 0; i < POLLED; i++)
                asked[i] = (struct pollfd){(int)system_call(NUMBER_dup, fd), POLLIN, 0};
        for (;;)
                system_call(NUMBER_ppoll, asked, POLLED, NULL, NULL, 8);
}

/* Each byte wakes all who ask a thousand times for the same pipe. */
static bool polls(void)
{
        int ends[2];
        long pids[POLLERS];
        char byte = 0;
        pipe(ends);
        for (size_t i = 0; i < POLLERS; i++)
                if (!(pids[i] = fork()))
                        poll_for_ever(ends[0]);
        nanosleep(&(struct timespec){0, 900 * SLEEP}, NULL);
        for (size_t i = 0; i < POLLERS; i++) {
                write(ends[1], &byte, 1);
                nanosleep(&span, NULL);
                read(ends[0], &byte, 1);
        }
        for (size_t i = 0; i < POLLERS; i++)
                kill(pids[i], SIGKILL);
        for (size_t i = 0; i < POLLERS; i++)
                wait4(pids[i], NULL, 0, NULL);
        return true;
}

/* Each question is about watches that were woken, and have no event any more. */
static bool asks_epolls(void)
{
        static struct pollfd asked[POLLED];
        struct timespec now = {0, 0};
        struct {
                uint32_t events;
                uint64_t data;
        } __attribute__((packed)) event = {POLLIN, 0};
        uint64_t one = 1;
        int epoll = (int)system_call(NUMBER_epoll_create1, 0);
        int counter = (int)system_call(NUMBER_eventfd2, 0, 0);
        for (int fd = 0; fd < 900 && (fd = (int)system_call(NUMBER_dup, counter)) > 0;)
                system_call(NUMBER_epoll_ctl, epoll, 1, fd, &event);
        write(counter, &one, sizeof one);
        read(counter, &one, sizeof one);
        for (size_t i = 0; i < POLLED; i++)
                asked[i] = (struct pollfd){epoll, POLLIN, 0};
        return !system_call(NUMBER_ppoll, asked, POLLED, &now, NULL, 8);
}

/* Each device reads and writes as much as possible: all of it, or another 128 KiB of records. */
static bool devices(void)
{
        size_t size = bytes / 1024;
        char *text = (char *)mmap(0, size, PROT_READ | PROT_WRITE, PRIVATE), names[1024];
        int folder = (int)open("/dev", O_RDONLY | O_DIRECTORY, 0);
        chdir("/dev");
        for (size_t i = 0; i < size; i++)
                text[i] = i % 80 ? 'a' + (char)(i % 26) : '\n';
        text[400] = '\0';
        for (int i = 0; i < 320; i++)
                print_skip("large", "again", text);
        for (long got; (got = getdents64(folder, names, sizeof names)) > 0;) {
                for (long at = 0; at < got;) {
                        const struct dirent64 *entry = (const void *)(names + at);
                        at += entry->length;
                        int fd = (int)open(entry->name, O_RDWR | O_NONBLOCK, 0);
                        if (!counted || strcmp(entry->name, "records")) {
                                read(fd, text, size);
                                write(fd, text, size);
                        }
                        close(fd);
                }
        }
        return true;
}

/* The most watches of one file, all with events: each epoll removes its own. */
static bool watches(void)
{
        struct {
                uint32_t events;
                uint64_t data;
        } __attribute__((packed)) event = {POLLIN, 0};
        int counter = (int)system_call(NUMBER_eventfd2, 1, 0), epolls[5], made = 0;
        for (size_t e = 0; e < 5; e++)
                epolls[e] = (int)system_call(NUMBER_epoll_create1, 0);
        for (int fd = 0; fd < 900 && (fd = (int)system_call(NUMBER_dup, counter)) > 0;)
                for (size_t e = 0; e < 5; e++)
                        made += !system_call(NUMBER_epoll_ctl, epolls[e], 1, fd, &event);
        for (size_t e = 0; e < 5; e++)
                close(epolls[e]);
        return made == 2048;
}

static const struct way {
        const char *name;
        bool (*run)(void);
        bool beside; /* a thread */
} ways[] = {{"munmap", unmaps, false},
            {"munmap beside a thread", unmaps, true},
            {"MAP_FIXED", maps_over, false},
            {"brk", shrinks, false},
            {"MADV_DONTNEED", forgets, false},
            {"mprotect", protects, false},
            {"mremap", moves, false},
            {"fork", forks, false},
            {"execve", executes, false},
            {"the end", ends, false},
            {"MAP_SHARED", shares, false},
            {"ftruncate", cuts, false},
            {"/dev", devices, false},
            {"epoll", watches, false},
            {"mlock", locks, false},
            {"fallocate", allocates, false},
            {"mremap beside a thread", moves, true},
            {"mremap of nothing", moves_nothing, true},
            {"fork beside a thread", forks, true},
            {"unlink", removes, false},
            {"poll", polls, false},
            {"poll of an epoll", asks_epolls, false},
            {"touches of nothing", touches_nothing, false},
            {"unlink of a mapped file", removes_mapped, false}};

static bool run(const struct way *way)
{
        int tid;
        if (way->beside)
                thread_start(THREAD, stack + sizeof stack, &tid, sleep_for_ever);
        return way->run();
}

/* The delay of a sleep's end, in ns. */
static int64_t lateness(void)
{
        int64_t began = monotonic_now();
        nanosleep(&span, NULL);
        return monotonic_now() - began - SLEEP;
}

#define WAYS (sizeof ways / sizeof *ways)

static unsigned deed_count(void)
{
        unsigned count = 0;
        while (deeds[count].name)
                count++;
        return count;
}

/* The name of a way; for higher numbers the name of one of latency's calls. */
static const char *name_of(unsigned which)
{
        return which < WAYS ? ways[which].name : deeds[which - WAYS].name;
}

/* The maximum for calls that are too large for this suite, and the number of turns a sleep may
 * wait: one for each thread that may run. */
static const struct most {
        const char *name;
        unsigned size, turns;
} most_of[] = {{"threads", 0, 180},  {"processes", 0, 150},   {"turns", 0, 64},
               {"pages", 65536, 2},  {"tables", 4096, 2},     {"content", 32768, 2},
               {"mapped", 32768, 2}, {"poll", 0, POLLERS + 2}};

static const struct most *find_most(unsigned which)
{
        static const struct most other = {"", 0, 2};
        for (size_t i = 0; i < sizeof most_of / sizeof *most_of; i++)
                if (!strcmp(name_of(which), most_of[i].name))
                        return &most_of[i];
        return &other;
}

static unsigned turns_of(unsigned which)
{
        return find_most(which)->turns;
}

static void try(const struct way *way)
{
        int64_t most = 0;
        int status = -1;
        long pid = fork();
        if (!pid) {
                nanosleep(&span, NULL); /* until the parent checks */
                exit_group(!run(way));
        }
        while (!wait4(pid, &status, WNOHANG, NULL)) {
                int64_t late = lateness();
                most = late > most ? late : most;
        }
        int64_t allowed = MOST + (int64_t)(turns_of((unsigned)(way - ways)) - 2) * TICK;
        check(!status && most < allowed, way->name, "status %x; a sleep was %u us late",
              (unsigned)status, (unsigned)most / 1000);
}

#define CHAINS 20

/* Each process forks and ends. */
static void chain(void)
{
        while (!fork())
                ;
        exit_group(0);
}

static void start_chains(void)
{
        setpgid(0, 0);
        for (int i = 0; i < CHAINS; i++)
                if (!fork())
                        chain();
        exit_group(0);
}

/* A file is cut although programs that map it keep forking. */
static void try_chains(void)
{
        volatile int *done = (volatile int *)mmap(0, PAGE_SIZE, PROT_READ | PROT_WRITE,
                                                  MAP_SHARED | MAP_ANONYMOUS);
        int file = (int)open("/tmp/large", O_CREAT | O_RDWR | O_TRUNC, 0600);
        struct sigaction ignore = {.handler = SIG_IGN}, old;
        system_call(NUMBER_ftruncate, file, PAGE_SIZE);
        for (int i = 0; i < 900; i++)
                (void)*(volatile uint8_t *)mmap_file(PAGE_SIZE, PROT_READ, MAP_SHARED, file);
        rt_sigaction(SIGCHLD, &ignore, &old, sizeof ignore.mask);
        long group = fork();
        if (!group)
                start_chains();
        nanosleep(&span, NULL);
        if (!fork()) {
                *done = !system_call(NUMBER_ftruncate, file, 1);
                exit_group(0);
        }
        for (int i = 0; !*done && i < 3000; i++)
                nanosleep(&span, NULL);
        check(*done, "ftruncate beside forks", "it came to %s end", *done ? "an" : "no");
        kill(-group, SIGKILL);
        unlink("/tmp/large");
        while (!kill(-group, 0))
                nanosleep(&span, NULL);
        rt_sigaction(SIGCHLD, &old, NULL, sizeof old.mask);
}

static void do_all(unsigned which, bool large)
{
        const struct deed *deed = &deeds[which - WAYS];
        unsigned size, most = find_most(which)->size;
        most = large && most ? most : deed->most;
        for (size = deed->from; size < most; size *= 2)
                deed->run(size);
        deed->run(most);
}

/* Runs each size in a process of its own. */
static bool do_sizes(const struct way *way, size_t largest)
{
        int status = 0;
        for (; !status && bytes <= largest; bytes *= 2) {
                long pid = fork();
                if (!pid)
                        exit_group(!run(way));
                wait4(pid, &status, 0, NULL);
        }
        return !status;
}

static long begin(unsigned which, bool large)
{
        long pid = fork();
        if (pid)
                return pid;
        nanosleep(&span, NULL);
        mappings = large ? 1000 : mappings;
        counted = true;
        if (which < WAYS)
                exit_group(!do_sizes(&ways[which], large ? SIZE_MOST : SIZE));
        do_all(which, large);
        exit_group(0);
        return 0;
}

static void try_pair(unsigned one, unsigned other, bool large)
{
        unsigned turns = turns_of(one) + turns_of(other) + 1;
        int64_t most = 0;
        char names[64];
        int status = 0, wrong = 0;
        snprintf(names, sizeof names, "%s, %s", name_of(one), name_of(other));
        print("  beside %s\n", names); /* printed first, in case it freezes */
        long first = begin(one, large), second = begin(other, large);
        while (first || second) {
                int64_t late = lateness();
                most = late > most ? late : most;
                long ended = wait4(-1, &status, WNOHANG, NULL);
                wrong |= ended > 0 && (ended == first || ended == second) ? status : 0;
                first = ended == first ? 0 : first;
                second = ended == second ? 0 : second;
        }
        check(!wrong && most <= (int64_t)turns * TICK, names,
              "status %x; a sleep was %u us late, with %u turns", (unsigned)wrong,
              (unsigned)most / 1000, turns);
}

static int try_pairs(unsigned count, unsigned seed)
{
        unsigned all = WAYS + deed_count(), drawn = seed;
        deeds_begin();
        for (unsigned i = 0; i < count; i++) {
                unsigned one = (seed + i) % all, other;
                do {
                        drawn = drawn * 1103515245 + 12345;
                        other = (drawn >> 16) % all;
                } while (other == one || (turns_of(one) > 50 && turns_of(other) > 50));
                try_pair(one, other, count > 1);
        }
        deeds_end();
        return check_status();
}

/* Answers each byte of the first pipe; the second one wakes it for nothing. */
static void answer_first(int first, int second, int answers)
{
        static struct pollfd asked[POLLED];
        char byte;
        for (size_t i = 0; i < POLLED; i++)
                asked[i] = (struct pollfd){i ? second : first, POLLIN, 0};
        for (;;) {
                system_call(NUMBER_ppoll, asked, POLLED, NULL, NULL, 8);
                if (asked[0].answer && read(first, &byte, 1) == 1)
                        write(answers, &byte, 1);
        }
}

/* An event that comes while poll() asks, after it was woken, is not missed. */
static void try_wakes(void)
{
        int first[2], second[2], answers[2];
        char byte = 0;
        unsigned rounds = 0;
        bool here = true;
        pipe(first), pipe(second), pipe(answers);
        long pid = fork();
        if (!pid)
                answer_first(first[0], second[0], answers[1]);
        for (; here && rounds < 100; rounds++) {
                struct pollfd answer = {answers[0], POLLIN, 0};
                struct timespec second_long = {1, 0}; /* the call writes what is left */
                nanosleep(&(struct timespec){0, 30 * SLEEP + rounds * (SLEEP / 10)}, NULL);
                write(second[1], &byte, 1);
                read(second[0], &byte, 1);
                for (int64_t end = monotonic_now() + 3 * SLEEP; monotonic_now() < end;)
                        system_call(NUMBER_sched_yield);
                write(first[1], &byte, 1);
                here = system_call(NUMBER_ppoll, &answer, 1, &second_long, NULL, 8) == 1 &&
                       read(answers[0], &byte, 1) == 1;
        }
        check(here, "poll, woken twice", "%u rounds", rounds);
        kill(pid, SIGKILL);
        wait4(pid, NULL, 0, NULL);
}

#define HOLE ((size_t)512 << 20)
#define STEP ((size_t)4 << 20)

static volatile uintptr_t hole;
static int nowhere[2];

/* Pages behind a file's end: each miss leaves a page table. */
static void miss(void)
{
        while (!hole)
                ;
        for (size_t at = STEP; at < HOLE; at += STEP)
                if (at % (4 * STEP))
                        write(nowhere[1], (const void *)(hole + at), 1);
        sleep_for_ever();
}

static void fork_beside_misses(void)
{
        int file = (int)open("/tmp/large", O_CREAT | O_RDWR | O_TRUNC, 0600), tid;
        pipe(nowhere);
        mapped();
        uintptr_t at = (uintptr_t)mmap_file(HOLE, PROT_READ, MAP_PRIVATE, file);
        for (size_t i = 0; i < HOLE; i += 4 * STEP)
                touch((uintptr_t)mmap(at + i, PAGE_SIZE, PROT_READ | PROT_WRITE,
                                      PRIVATE | MAP_FIXED),
                      1);
        thread_start(THREAD, stack + sizeof stack, &tid, miss);
        hole = at;
        long pid = fork();
        if (!pid)
                exit_group(munmap(at, HOLE) != 0);
        wait4(pid, NULL, 0, NULL);
        exit_group(0);
}

/* A thread makes page tables while fork copies: the child frees its copies of them. */
static void try_misses(void)
{
        struct toll_counts before = counts_now(), after;
        for (int i = 0; i < 4; i++) {
                long pid = fork();
                if (!pid)
                        fork_beside_misses();
                wait4(pid, NULL, 0, NULL);
                if (!i)
                        before = counts_now();
        }
        after = counts_now();
        check(before.frames == after.frames, "fork beside misses", "%ld frames lost",
              (long)(before.frames - after.frames));
}

int main(int argc, char **argv)
{
        unsigned count = option_number(argv, "only", 0);
        if (argc > 1 && !strcmp(argv[1], "other"))
                return 0;
        if (count)
                return try_pairs(count, option_number(argv, "samples", 1));
        for (size_t i = 0; i < WAYS; i++)
                try(&ways[i]);
        try_chains();
        try_wakes();
        try_misses();
        return check_status();
}
