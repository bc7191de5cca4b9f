/* small.c - many descriptors at once, I/O at offsets, renaming without replacing. */
#include "answers.h"
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>

#define CLOSE_RANGE 436
#define NO_REPLACE 1
#define SHARES_FILES 0x400 /* CLONE_FILES */

static void ranges(void)
{
        for (int fd = 20; fd < 26; fd++)
                dup2(0, fd);
        ASK(syscall(CLOSE_RANGE, 20, 22, 0)), ASK(fcntl(22, F_GETFD)), ASK(fcntl(23, F_GETFD));
        ASK(syscall(CLOSE_RANGE, 23, 24, 4)), ASK(fcntl(24, F_GETFD)), ASK(fcntl(25, F_GETFD));
        ASK(syscall(CLOSE_RANGE, 25, 24, 0)), ASK(syscall(CLOSE_RANGE, 25, 26, 8));
        int sharer = (int)syscall(SYS_clone, SHARES_FILES | SIGCHLD, 0, 0, 0, 0);
        if (!sharer)
                _exit((int)syscall(CLOSE_RANGE, 20, ~0u, 2));
        ASK(status_of(sharer)), ASK(fcntl(25, F_GETFD));
        ASK(syscall(CLOSE_RANGE, 20, ~0u, 0)), ASK(fcntl(25, F_GETFD));
}

static void places(void)
{
        char text[10] = "";
        struct iovec parts[2] = {{"abc", 3}, {"de", 2}}, to[2] = {{text, 1}, {text + 1, 9}};
        struct stat status;
        int ends[2], fd = open("asked", O_RDWR | O_CREAT | O_TRUNC, 0600);
        ASK(pwritev(fd, parts, 2, 4)), ASK(lseek(fd, 0, SEEK_CUR)), ASK(preadv(fd, to, 2, 3));
        note("preadv()", text + 1);
        ASK(preadv(fd, to, 2, -1)), ASK(pwritev(-1, parts, 2, 0));
        ASK(pipe(ends)), ASK(pwritev(ends[1], parts, 2, 0));
        close(ends[0]), close(ends[1]), close(fd);
        close(open("asked.2", O_RDWR | O_CREAT, 0600));
        ASK(syscall(SYS_renameat2, AT_FDCWD, "asked", AT_FDCWD, "asked.2", NO_REPLACE));
        ASK(syscall(SYS_renameat2, AT_FDCWD, "asked", AT_FDCWD, "asked.3", NO_REPLACE));
        ASK(syscall(SYS_renameat2, AT_FDCWD, "asked.3", AT_FDCWD, "asked.2", 0));
        ASK(syscall(SYS_renameat2, AT_FDCWD, "asked.2", AT_FDCWD, "asked", 64));
        ASK(unlink("asked.2"));
        fd = open("/dev/full", O_RDWR | O_NOCTTY | O_EXCL | 1 << 30);
        ASK(write(fd, "x", 1)), ASK(read(fd, text, 4)), ASK(text[0]), ASK(fcntl(fd, F_GETFL));
        close(fd), pipe(ends);
        ASK(open(".", O_TRUNC));
        ASK((long)mmap(NULL, 1, PROT_READ, MAP_PRIVATE, ends[1], 0));
        ASK(fstatat(AT_FDCWD, "", &status, AT_EMPTY_PATH)), ASK(S_ISDIR(status.st_mode));
        close(ends[0]), close(ends[1]);
}

void ask_small(void)
{
        ASK(status_of(child(ranges)));
        places();
}
