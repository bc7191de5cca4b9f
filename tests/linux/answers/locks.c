/* locks.c - record locks of processes, of open files, and flock(). */
#include "answers.h"
#include <sys/file.h>

#define NAME "locked"

static int fd, other;

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

/* What is in the way, in words that are no pid. */
static void show(int command, short type, off_t start, off_t length)
{
        struct flock found = {
                .l_type = type, .l_whence = SEEK_SET, .l_start = start, .l_len = length};
        char text[100];
        int result = fcntl(fd, command, &found);
        snprintf(text, sizeof text, "%d: type %d whence %d from %ld length %ld by %s", result,
                 found.l_type, found.l_whence, (long)found.l_start, (long)found.l_len,
                 found.l_type == F_UNLCK    ? "nobody"
                 : found.l_pid == -1        ? "an open file"
                 : found.l_pid == getppid() ? "the parent"
                                            : "another");
        note("in the way", text);
}

static void as_child(void)
{
        show(F_GETLK, F_RDLCK, 0, 0);
        show(F_GETLK, F_WRLCK, 0, 0);
        show(F_GETLK, F_WRLCK, 0, 1);
        show(F_GETLK, F_WRLCK, 105, 3);
        show(F_GETLK, F_RDLCK, 300, 100);
        show(F_GETLK, F_WRLCK, 999, 0);
        ASK(lock(F_SETLK, F_WRLCK, 0, 0));
        ASK(lock(F_SETLK, F_RDLCK, 100, 5));
        ASK(lock(F_SETLK, F_WRLCK, 100, 5));
        ASK(lock(F_SETLK, F_RDLCK, 200, 5));
}

static void ranges(void)
{
        ASK(lock(F_SETLK, F_WRLCK, 100, 100));
        ASK(lock(F_SETLK, F_RDLCK, 100, 50));
        ASK(lock(F_SETLK, F_UNLCK, 120, 10));
        ASK(lock(F_SETLK, F_WRLCK, 300, 0));
        status_of(child(as_child));
        ASK(lock(F_SETLK, F_RDLCK, 120, 10));
        ASK(lock(F_SETLK, F_WRLCK, 150, 200));
        status_of(child(as_child));
        show(F_GETLK, F_WRLCK, 0, 0);
        ASK(lock(F_SETLK, F_UNLCK, 0, 0));
        status_of(child(as_child));
}

static void wrong(void)
{
        struct flock back = {.l_type = F_WRLCK, .l_whence = SEEK_END, .l_start = -5, .l_len = -5};
        int reads = open(NAME, O_RDONLY), writes = open(NAME, O_WRONLY), ends[2];
        ASK(write(fd, "twenty bytes of text", 20));
        ASK(fcntl(fd, F_SETLK, &back));
        back.l_whence = SEEK_CUR;
        back.l_len = -16;
        ASK(fcntl(fd, F_SETLK, &back));
        back.l_whence = 9;
        ASK(fcntl(fd, F_SETLK, &back));
        ASK(lock(F_SETLK, 3, 0, 0));
        ASK(lock(F_SETLK, F_WRLCK, -1, 0));
        ASK(lock(F_SETLK, F_WRLCK, 5, -6));
        ASK(lock(F_GETLK, F_UNLCK, 0, 0));
        ASK(fcntl(fd, F_SETLK, NULL));
        ASK(lock_at(-1, F_SETLK, F_RDLCK, 0, 0));
        ASK(lock_at(reads, F_SETLK, F_WRLCK, 0, 0));
        ASK(lock_at(writes, F_SETLK, F_RDLCK, 0, 0));
        ASK(lock_at(reads, F_SETLK, F_RDLCK, 0, 0));
        ASK(pipe(ends));
        ASK(lock_at(ends[0], F_SETLK, F_RDLCK, 0, 0));
        ASK(lock_at(ends[0], F_SETLK, F_UNLCK, 0, 0));
        close(ends[0]), close(ends[1]), close(reads), close(writes);
}

/* Any close of the file takes all of them; one of another file none. */
static void closes(void)
{
        int again = dup(fd);
        ASK(lock(F_SETLK, F_WRLCK, 0, 10));
        close(open("/dev/null", O_RDONLY));
        status_of(child(as_child));
        close(again);
        status_of(child(as_child));
        ASK(lock(F_SETLK, F_WRLCK, 0, 10));
        close(open(NAME, O_RDONLY));
        status_of(child(as_child));
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
        ASK(status_of(pid));
        ASK(unlocked);
        ASK(lock(F_SETLKW, F_WRLCK, 0, 2));
        ASK(lock(F_SETLK, F_UNLCK, 0, 2));

        pid = child(one_of_two);
        hear(to_parent);
        catch (SIGALRM, nothing, 0);
        alarm(1);
        ASK(lock(F_SETLKW, F_WRLCK, 1, 1));
        kill(pid, SIGKILL);
        ASK(status_of(pid));
        ASK(lock(F_SETLKW, F_WRLCK, 1, 1));
        ASK(lock(F_SETLK, F_UNLCK, 0, 0));
}

#ifdef F_OFD_SETLK
static void in_child(void)
{
        ASK(lock(F_SETLK, F_WRLCK, 0, 0));
        show(F_GETLK, F_WRLCK, 0, 0);
        ASK(lock(F_OFD_SETLK, F_RDLCK, 0, 5));
        ASK(lock_at(other, F_OFD_SETLK, F_WRLCK, 0, 5));
}

static void open_files(void)
{
        struct flock mine = {.l_type = F_WRLCK, .l_pid = 1};
        ASK(lock(F_OFD_SETLK, F_WRLCK, 0, 10));
        ASK(lock_at(other, F_OFD_SETLK, F_WRLCK, 5, 10));
        ASK(lock_at(other, F_OFD_SETLK, F_WRLCK, 10, 10));
        ASK(lock_at(other, F_SETLK, F_WRLCK, 0, 1));
        ASK(fcntl(fd, F_OFD_SETLK, &mine));
        close(open(NAME, O_RDONLY));
        status_of(child(in_child));
        show(F_OFD_GETLK, F_WRLCK, 0, 0);
        ASK(lock(F_OFD_SETLK, F_UNLCK, 0, 0));
        close(other);
        ASK(lock(F_SETLK, F_WRLCK, 0, 0));
        ASK(lock(F_SETLK, F_UNLCK, 0, 0));
}
#endif

static void whole(void)
{
        other = open(NAME, O_RDWR);
        ASK(flock(fd, LOCK_SH));
        ASK(flock(other, LOCK_SH | LOCK_NB));
        ASK(flock(other, LOCK_EX | LOCK_NB));
        ASK(flock(fd, LOCK_UN));
        ASK(flock(other, LOCK_EX | LOCK_NB));
        ASK(flock(fd, LOCK_SH | LOCK_NB));
        ASK(lock(F_SETLK, F_WRLCK, 0, 0));
        ASK(flock(fd, 3));
        ASK(flock(-1, LOCK_SH));
        close(other);
        ASK(flock(fd, LOCK_EX | LOCK_NB));
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
        other = open(NAME, O_RDWR);
        ranges();
        wrong();
        closes();
        waits();
#ifdef F_OFD_SETLK
        open_files();
#endif
        whole();
        close(fd);
        fd = open(NAME, O_RDWR);
        ASK(status_of(child(after_execve)));
        ASK(lock(F_SETLK, F_WRLCK, 0, 0));
        close(fd);
        unlink(NAME);
}
