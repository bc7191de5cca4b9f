/* locks.c - record locks: wrong words, waits, and what execve() leaves. (locking.c has the rest.)
 */
#include "answers.h"

#define NAME "locked"

static int fd;

static int lock_at(int file, int command, short type, off_t start, off_t length)
{
        struct flock lock = {
                .l_type = type, .l_whence = SEEK_SET, .l_start = start, .l_len = length};
        return fcntl(file, command, &lock);
}

static int lock(int command, short type, off_t start, off_t length)
{
        return lock_at(fd, command, type, start, length);
}

static void wrong(void)
{
        struct flock back = {.l_type = F_WRLCK, .l_whence = SEEK_END, .l_start = -5, .l_len = -5};
        int reads = open(NAME, O_RDONLY), writes = open(NAME, O_WRONLY), ends[2];
        ASK(write(fd, "twenty bytes of text", 20)), ASK(fcntl(fd, F_SETLK, &back));
        back.l_whence = SEEK_CUR;
        back.l_len = -16;
        ASK(fcntl(fd, F_SETLK, &back));
        back.l_whence = 9;
        ASK(fcntl(fd, F_SETLK, &back)), ASK(lock(F_SETLK, 3, 0, 0));
        ASK(lock(F_SETLK, F_WRLCK, -1, 0)), ASK(lock(F_SETLK, F_WRLCK, 5, -6));
        ASK(lock(F_GETLK, F_UNLCK, 0, 0)), ASK(fcntl(fd, F_SETLK, NULL));
        ASK(lock_at(-1, F_SETLK, F_RDLCK, 0, 0)), ASK(lock_at(reads, F_SETLK, F_WRLCK, 0, 0));
        ASK(lock_at(writes, F_SETLK, F_RDLCK, 0, 0)), ASK(lock_at(reads, F_SETLK, F_RDLCK, 0, 0));
        ASK(pipe(ends)), ASK(lock_at(ends[0], F_SETLK, F_RDLCK, 0, 0));
        ASK(lock_at(ends[0], F_SETLK, F_UNLCK, 0, 0));
        close(ends[0]), close(ends[1]), close(reads), close(writes);
}

static int to_child[2], to_parent[2];

static void tell(int *ends)
{
        (void)!write(ends[1], "", 1);
}

static void hear(int *ends)
{
        char byte;
        (void)!read(ends[0], &byte, 1);
}

static void nothing(int signal)
{
        (void)signal;
}

static void one_of_two(void)
{
        ASK(lock(F_SETLK, F_WRLCK, 1, 1));
        tell(to_parent);
        hear(to_child);
        ASK(lock(F_SETLKW, F_WRLCK, 0, 1));
}

static void waits(void)
{
        (void)!pipe(to_child), (void)!pipe(to_parent);
        ASK(lock(F_SETLK, F_WRLCK, 0, 1));
        pid_t pid = child(one_of_two);
        hear(to_parent);
        tell(to_child);
        nap(300); /* it waits by now */
        ASK(lock(F_SETLKW, F_WRLCK, 1, 1));
        long unlocked = lock(F_SETLK, F_UNLCK, 0,
                             1); /* and told when the child, which it wakes, has ended */
        ASK(status_of(pid)), ASK(unlocked), ASK(lock(F_SETLKW, F_WRLCK, 0, 2));
        ASK(lock(F_SETLK, F_UNLCK, 0, 2));

        pid = child(one_of_two);
        hear(to_parent);
        catch (SIGALRM, nothing, 0);
        alarm(1);
        ASK(lock(F_SETLKW, F_WRLCK, 1, 1));
        kill(pid, SIGKILL);
        ASK(status_of(pid)), ASK(lock(F_SETLKW, F_WRLCK, 1, 1)), ASK(lock(F_SETLK, F_UNLCK, 0, 0));
}

static void after_execve(void)
{
        char *arguments[] = {program, "three", NULL};
        fcntl(fd, F_SETLK, &(struct flock){.l_type = F_WRLCK});
        execv(program, arguments);
}

void ask_locks(void)
{
        fd = open(NAME, O_RDWR | O_CREAT | O_TRUNC, 0600);
        wrong();
        waits();
        close(fd);
        fd = open(NAME, O_RDWR);
        ASK(status_of(child(after_execve))), ASK(lock(F_SETLK, F_WRLCK, 0, 0));
        close(fd);
        unlink(NAME);
}
