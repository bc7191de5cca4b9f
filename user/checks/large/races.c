/* races.c - what other threads do in the turns that long calls give them: forks beside a cut, a
 * seek beside a write, events beside a poll, misses beside a fork, signals beside an end. What they
 * do not do beside a copy. */
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

#define FILE_MOST (1l << 30)

static volatile bool *cuts;

static void cut_mapped(int file)
{
        nanosleep(&(struct timespec){0, 15 * SLEEP}, NULL);
        *cuts = true;
        exit_group(system_call(NUMBER_ftruncate, file, 8 * PAGE_SIZE) != 0);
}

/* A write waits for a cut, while another process moves the position of the open file to the end of
 * what a file may have. */
void try_seek(void)
{
        const size_t size = (size_t)8 << 20;
        int file = (int)open("/tmp/large", O_CREAT | O_RDWR | O_TRUNC, 0600);
        int other = (int)open("/tmp/large", O_RDWR, 0);
        uintptr_t from = touch((uintptr_t)mmap(0, size, PROT_READ | PROT_WRITE, PRIVATE), size);
        cuts = (volatile bool *)mmap(0, PAGE_SIZE, PROT_READ | PROT_WRITE,
                                     MAP_SHARED | MAP_ANONYMOUS);
        *cuts = false;
        write(file, (const void *)from, size);
        for (unsigned i = 0; i < 60; i++) {
                uintptr_t at = (uintptr_t)mmap_file(size, PROT_READ, MAP_SHARED, file);
                for (size_t in = 8 * PAGE_SIZE; in < size; in += PAGE_SIZE)
                        (void)*(volatile uint8_t *)(at + in);
        }
        long writer = fork(), cutter;
        if (!writer)
                for (;;) {
                        system_call(NUMBER_lseek, file, PAGE_SIZE, SEEK_SET);
                        write(file, (const void *)(from + PAGE_SIZE), size - PAGE_SIZE);
                }
        if (!(cutter = fork()))
                cut_mapped(other);
        while (!wait4((int)cutter, NULL, WNOHANG, NULL)) {
                if (*cuts)
                        system_call(NUMBER_lseek, file, FILE_MOST - 1, SEEK_SET);
                system_call(NUMBER_sched_yield);
        }
        kill((int)writer, SIGKILL);
        wait4((int)writer, NULL, 0, NULL);
        long end = system_call(NUMBER_lseek, other, 0, SEEK_END);
        check(end <= FILE_MOST, "a seek beside a write", "the file has %ld bytes", end);
        system_call(NUMBER_ftruncate, other, 0);
        close(file), close(other);
}

/* Each writes lines in two parts: others' do not come between them. */
void try_parts(void)
{
        static char there[16 * 1000];
        int ends[2], wrong = 0;
        pipe(ends);
        for (char letter = 'a'; letter < 'c'; letter++)
                if (!fork()) {
                        char text[8];
                        memset(text, letter, sizeof text);
                        const void *parts[4] = {text, (void *)8, text, (void *)8};
                        for (unsigned n = 0; n < 20000; n++)
                                system_call(NUMBER_writev, ends[1], parts, 2);
                        exit_group(0);
                }
        close(ends[1]);
        for (long got; (got = read(ends[0], there, sizeof there)) > 0;)
                for (long at = 0; at < got; at += 16)
                        wrong += there[at] != there[at + 8];
        wait4(-1, NULL, 0, NULL), wait4(-1, NULL, 0, NULL);
        check(!wrong, "two writev()", "%d of 40000 lines are torn", wrong);
}

/* Writes of two programs to one open file, and their reads, each come in one piece. */
void try_shared_position(void)
{
        static char there[60000];
        int file = (int)open("/tmp/large", O_CREAT | O_RDWR | O_TRUNC, 0600), wrong = 0, status;
        for (char letter = 'a'; letter < 'c'; letter++)
                if (!fork()) {
                        memset(there, letter, sizeof there);
                        for (unsigned n = 0; n < 100; n++)
                                write(file, there, sizeof there);
                        exit_group(0);
                }
        wait4(-1, NULL, 0, NULL), wait4(-1, NULL, 0, NULL);
        system_call(NUMBER_lseek, file, 0, SEEK_SET);
        for (unsigned reader = 0; reader < 2; reader++)
                if (!fork()) {
                        while (read(file, there, sizeof there) > 0)
                                for (size_t at = 1; at < sizeof there; at++)
                                        wrong |= there[at] != there[0];
                        exit_group(wrong);
                }
        wait4(-1, &wrong, 0, NULL), wait4(-1, &status, 0, NULL);
        check(!(wrong | status), "a shared position", "%d readers found pieces of two writes",
              !!wrong + !!status);
        system_call(NUMBER_ftruncate, file, 0);
        close(file);
}

/* Appends of two programs do not write over each other. */
void try_appends(void)
{
        const long size = 64 * PAGE_SIZE, rounds = 8;
        uintptr_t from = (uintptr_t)mmap(0, (size_t)size, PROT_READ | PROT_WRITE, PRIVATE);
        int file = (int)open("/tmp/large", O_CREAT | O_RDWR | O_TRUNC, 0600);
        for (unsigned i = 0; i < 2; i++)
                if (!fork()) {
                        int own = (int)open("/tmp/large", O_WRONLY | O_APPEND, 0);
                        for (long n = 0; n < rounds; n++)
                                write(own, (const void *)from, (size_t)size);
                        exit_group(0);
                }
        wait4(-1, NULL, 0, NULL), wait4(-1, NULL, 0, NULL);
        long end = system_call(NUMBER_lseek, file, 0, SEEK_END);
        check(end == 2 * rounds * size, "two appends", "%ld bytes of %ld", end, 2 * rounds * size);
        system_call(NUMBER_ftruncate, file, 0);
        close(file);
}

static volatile uint32_t *word;

static void wait_for_word(void)
{
        system_call(NUMBER_futex, word, FUTEX_WAIT, 0, NULL);
        sleep_for_ever();
}

static volatile uint32_t *shared_page(void)
{
        volatile uint32_t *page = (volatile uint32_t *)mmap(0, PAGE_SIZE, PROT_READ | PROT_WRITE,
                                                            MAP_SHARED | MAP_ANONYMOUS);
        *page = 0;
        return page;
}

/* A thread that waits in memory that is gone takes no wake-up of the frame's next owner. */
void try_words(void)
{
        int tid, status;
        long woken = 0, pid = fork();
        if (!pid) {
                word = shared_page();
                thread_start(THREAD, thread_stack + sizeof thread_stack, &tid, wait_for_word);
                nanosleep(&(struct timespec){0, 30 * SLEEP}, NULL);
                munmap((uintptr_t)word, PAGE_SIZE);
                for (unsigned i = 0; i < 16; i++)
                        woken += system_call(NUMBER_futex, shared_page(), FUTEX_WAKE, 1);
                exit_group((int)woken);
        }
        wait4((int)pid, &status, 0, NULL);
        check(!status, "a futex's frame", "%u others woken", CHILD_STATUS(status));
}

static struct timespec until;

static void end_later(void)
{
        while (!*cuts)
                system_call(NUMBER_sched_yield);
        nanosleep(&until, NULL);
        system_call(NUMBER_exit, 0);
}

/* Ends while its other thread ends, too: a large file is freed meanwhile. */
static void end_with_thread(void)
{
        int tid;
        long error;
        bytes = (size_t)48 << 20;
        mapped();
        thread_start(THREAD & ~CLONE_FILES, thread_stack + sizeof thread_stack, &tid, end_later);
        large_file(&error);
        unlink("/tmp/removed");
        nanosleep(&(struct timespec){0, 30 * SLEEP}, NULL);
        *cuts = true;
        system_call(NUMBER_exit, 0);
}

/* A thread that ends gives turns only while it can take signals: another one would be a panic. */
void try_ends(void)
{
        int wrong = 0, status;
        signal_set(SIGUSR1, SIG_IGN); /* the child may get it first of all */
        for (until.nanoseconds = 4 * SLEEP; until.nanoseconds < 20 * SLEEP;
             until.nanoseconds += 4 * SLEEP) {
                *cuts = false;
                long pid = fork();
                if (!pid)
                        end_with_thread();
                while (!wait4((int)pid, &status, WNOHANG, NULL)) {
                        kill((int)pid, SIGUSR1);
                        system_call(NUMBER_sched_yield);
                }
                wrong |= status;
        }
        check(!wrong, "signals beside an end", "its status: %x", (unsigned)wrong);
}
