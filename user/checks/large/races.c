/* races.c - what other threads do in the turns that long calls give them: forks beside a cut,
 * events beside a poll, misses beside a fork. What they do not do beside a copy. */
#include "large.h"

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
void try_chains(void)
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
void try_wakes(void)
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
        thread_start(THREAD, thread_stack + sizeof thread_stack, &tid, miss);
        hole = at;
        long pid = fork();
        if (!pid)
                exit_group(munmap(at, HOLE) != 0);
        wait4(pid, NULL, 0, NULL);
        exit_group(0);
}

/* A thread makes page tables while fork copies: the child frees its copies of them. */
void try_misses(void)
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

/* The frames of a file whose last user has ended are there for the next one. */
void try_room(void)
{
        long error, pid = fork();
        if (!pid)
                exit_group(!removes_mapped());
        wait4(pid, NULL, 0, NULL);
        close(large_file(&error));
        unlink("/tmp/removed");
        check(!error, "room after an end", "fallocate: %ld", error);
}

static volatile long second;
static char byte;

static void read_too(void)
{
        while (!second)
                system_call(NUMBER_sched_yield);
        second = read(nowhere[0], &byte, 1);
        sleep_for_ever();
}

/* Reads a pipe into a page that no frame is left for; a thread is ready to read, too. */
static void read_without_frame(void)
{
        size_t all = counts_now().frames;
        uintptr_t own = (uintptr_t)mmap(0, 2000 * PAGE_SIZE, PROT_READ | PROT_WRITE, PRIVATE);
        uintptr_t to = (uintptr_t)mmap(0, 2 * PAGE_SIZE, PROT_READ | PROT_WRITE, PRIVATE);
        int tid, status, left = 1;
        thread_start(THREAD, thread_stack + sizeof thread_stack, &tid, read_too);
        touch(to, 1);
        pipe(nowhere);
        write(nowhere[1], "a", 1);
        long most = fork();
        if (!most) {
                uintptr_t at = (uintptr_t)mmap(0, all * PAGE_SIZE, PROT_READ | PROT_WRITE, PRIVATE);
                for (; counts_now().frames > 1000; at += PAGE_SIZE)
                        touch(at, 1);
                sleep_for_ever();
        }
        while (counts_now().frames > 1000)
                nanosleep(&span, NULL);
        byte = 0, second = 0; /* their pages are its own again */
        for (; counts_now().frames; own += PAGE_SIZE)
                touch(own, 1);
        second = -1;
        long size = read(nowhere[0], (void *)(to + PAGE_SIZE), 1);
        system_call(NUMBER_ioctl, nowhere[0], FIONREAD, &left);
        wait4((int)most, &status, 0, NULL);
        exit_group(size != 1 || second != -1 || left || status != SIGKILL);
}

void try_copies(void)
{
        int status;
        long pid = fork();
        if (!pid)
                read_without_frame();
        wait4((int)pid, &status, 0, NULL);
        check(!status, "a read without a frame", "its end: %x", (unsigned)status);
}

/* A program that maps and unmaps a file of the initrd beside a long write does not undo it. */
void try_written(const char *self)
{
        static char text[PAGE_SIZE];
        snprintf(text, sizeof text, "%.*sspin", (int)(strlen(self) - strlen("large")), self);
        int file = (int)open(text, O_RDWR, 0);
        long pid, wrong = 0;
        uintptr_t from = touch((uintptr_t)mmap(0, SIZE, PROT_READ | PROT_WRITE, PRIVATE), SIZE);
        if (!(pid = fork()))
                for (;;) {
                        munmap((uintptr_t)mmap_file(PAGE_SIZE, PROT_READ, MAP_SHARED, file),
                               PAGE_SIZE);
                        system_call(NUMBER_sched_yield);
                }
        system_call(NUMBER_pwrite64, file, from, SIZE, 0, 0);
        kill((int)pid, SIGKILL);
        wait4((int)pid, NULL, 0, NULL);
        for (size_t at = 0; at < SIZE; at += PAGE_SIZE)
                wrong += system_call(NUMBER_pread64, file, text, 1, at, 0) != 1 || *text != 1;
        check(!wrong, "a write beside mmap", "%ld pages lost", wrong);
        system_call(NUMBER_ftruncate, file, 0);
        close(file);
        munmap(from, SIZE);
}
