/* races.c - what other threads do in the turns that long calls give them: forks beside a cut,
 * events beside a poll, misses beside a fork. */
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
