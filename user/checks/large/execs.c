/* execs.c - ways with execve(), beside files, locks and threads; and one with locks alone. */
#include "large.h"

static volatile bool opened;

bool executes(void)
{
        const char *self = "/proc/self/exe";
        mapped();
        execve(self, (char *[]){(char *)self, "other", NULL}, (char *[]){NULL});
        return false;
}

/* A path and arguments that take long. */
static long execute_long(unsigned count)
{
        static char path[4000], word[3900], *words[64] = {word, "other"};
        for (size_t i = 0; i < sizeof path; i += 2)
                memcpy(path + i, "/.", 2);
        memcpy(path + sizeof path - 16, "/proc/self/exe", 15);
        memset(word, 'x', sizeof word - 1);
        for (size_t i = 2; i < count; i++)
                words[i] = word;
        opened = true;
        return execve(path, words, (char *[]){NULL});
}

static void close_all(void)
{
        while (!opened)
                ;
        system_call(NUMBER_close_range, 3, ~0u, 0);
        system_call(NUMBER_exit, 0);
}

/* A thread closes 900 files with a lock each, while the call fails. */
bool executes_nothing(void)
{
        int fd;
        do
                fd = (int)open("/tmp/locked", O_CREAT | O_RDWR, 0600);
        while (fd >= 0 && !system_call(NUMBER_flock, fd, 1) && fd < 900);
        thread_start(THREAD, thread_stack + sizeof thread_stack, NULL, close_all);
        return execute_long(63) == -E2BIG;
}

static char locked[32];

static long lock_byte(int command, int file, long start)
{
        struct {
                short type, whence;
                long start, length;
                int pid;
        } lock = {.type = F_WRLCK, .start = start, .length = 1};
        long error = system_call(NUMBER_fcntl, file, command, &lock);
        return error ? error : lock.type;
}

static void lock_all(void)
{
        while (!opened)
                ;
        for (int file = 3; file < 200 && (file = (int)open(locked, O_CREAT | O_RDWR, 0600)) > 0;)
                lock_byte(F_SETLK, file, 0);
        sleep_for_ever();
}

/* A thread locks a file meanwhile: the lock ends with the new program. */
bool executes_beside_locks(void)
{
        int status = -1, file;
        snprintf(locked, sizeof locked, "/tmp/locked%ld", getpid());
        long pid = fork();
        if (!pid) {
                thread_start(THREAD, thread_stack + sizeof thread_stack, NULL, lock_all);
                execute_long(30);
        }
        wait4(pid, &status, 0, NULL);
        file = (int)open(locked, O_CREAT | O_RDWR, 0600);
        return !status && lock_byte(F_GETLK, file, 0) == F_UNLCK;
}

/* Each waits for the next one's lock, and the last for this process's. */
bool waits_for_locks(void)
{
        enum { WAITING = 170 };
        int file = (int)open("/tmp/row", O_CREAT | O_RDWR, 0600);
        long pids[WAITING], found = 0;
        lock_byte(F_SETLK, file, WAITING);
        for (int i = WAITING; i-- > 0;) {
                if (!(pids[i] = fork())) {
                        lock_byte(F_SETLK, file, i);
                        lock_byte(F_SETLKW, file, i + 1);
                        exit_group(1);
                }
                nanosleep(&span, NULL);
        }
        for (unsigned n = 0; n < 50; n++)
                found += lock_byte(F_SETLKW, file, 0) == -EDEADLK;
        for (int i = 0; i < WAITING; i++) {
                kill((int)pids[i], SIGKILL);
                wait4((int)pids[i], NULL, 0, NULL);
        }
        return found == 50;
}

static int removed_file(void)
{
        int file = (int)open("/tmp/mapped", O_CREAT | O_RDWR, 0600);
        write(file, "x", 1);
        unlink("/tmp/mapped");
        return file;
}

/* Removed files, which the old memory alone still maps. */
bool executes_mapped(void)
{
        for (unsigned i = 0; i < 1000; i++) {
                int file = removed_file();
                (void)mmap_file(PAGE_SIZE, PROT_READ, MAP_SHARED, file);
                close(file);
        }
        return executes();
}

static void execute_alone(void)
{
        const char *self = "/proc/self/exe";
        nanosleep(&(struct timespec){0, 90 * SLEEP}, NULL);
        execve(self, (char *[]){(char *)self, "alone", NULL}, (char *[]){NULL});
        exit_group(1);
}

/* The first thread closes as many files before the new program begins. */
bool executes_in_thread(void)
{
        thread_start(THREAD & ~CLONE_FILES, thread_stack + sizeof thread_stack, NULL,
                     execute_alone);
        for (unsigned i = 0; i < 1000; i++)
                removed_file();
        sleep_for_ever();
        return false;
}
