/* files.c - what calls on files answer that are not quite right. */
#include "answers.h"
#include <sys/stat.h>

void ask_files(void)
{
        char text[256];
        int fd = open("/tmp/asked", O_RDWR | O_CREAT | O_TRUNC, 0644);
        ASK(read(-1, text, 1));
        ASK(syscall(SYS_write, fd, NULL, 0));
        ASK(syscall(SYS_write, fd, 0x10, 5));
        ASK(lseek(fd, -1, SEEK_SET));
        ASK(lseek(fd, 1 << 20, SEEK_SET));
        ASK(read(fd, text, 1));
        ASK(lseek(fd, 0, 9));
        ASK(lseek(fd, 0, SEEK_SET));
        ASK(fchmod(fd, 0600));
        ASK(fcntl(fd, F_GETFL) & ~(O_LARGEFILE | 0100000));
        ASK(open("/tmp", O_WRONLY));
        ASK(open("/tmp", O_RDWR));
        ASK(open("/tmp/asked/", O_RDONLY));
        ASK(open("/tmp/asked/x", O_RDONLY));
        ASK(open("", O_RDONLY));
        ASK(mkdir("/tmp", 0));
        ASK(rmdir("/"));
        ASK(rmdir("/tmp/asked"));
        ASK(unlink("/tmp"));
        ASK(unlink("/tmp/"));
        ASK(readlink("/tmp/asked", text, 10));
        ASK(execve("/tmp", (char *[]){NULL}, NULL));
        ASK(chmod("/tmp/asked", 0755));
        ASK(close(fd));
        ASK(execve("/tmp/asked", (char *[]){NULL}, NULL));
        ASK(open("/tmp/asked", 3) >= 0);
        ASK(rename("/tmp/asked", "/tmp/asked/x"));
        ASK(rename("/tmp/nothing", "/tmp/asked"));
        ASK(wait(NULL));
        ASK(nanosleep(&(struct timespec){0, -1}, NULL));
        ASK(nanosleep(&(struct timespec){-1, 0}, NULL));
        ASK(nanosleep(&(struct timespec){0, 1000000000}, NULL));
        ASK(clock_gettime(99, &(struct timespec){0}));
        ASK(unlink("/tmp/asked"));
}
