/* system.c - random bytes, open files by name, owners, one processor, pipes with names, what a file
 * system tells of itself. */
#include "answers.h"
#include <grp.h>
#include <poll.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>

#define FIFO "named"

static void random_bytes(void)
{
        char one[64] = "", two[64] = "", none[64] = "";
        int fd = open("/dev/urandom", O_RDONLY);
        ASK(syscall(SYS_getrandom, one, sizeof one, 0));
        ASK(syscall(SYS_getrandom, two, sizeof two, 1));
        ASK(memcmp(one, two, sizeof one) && memcmp(one, none, sizeof one));
        ASK(syscall(SYS_getrandom, one, sizeof one, 16)), ASK(syscall(SYS_getrandom, 8, 16, 0));
        ASK(syscall(SYS_getrandom, one, 0, 0)), ASK(read(fd, one, sizeof one));
        ASK(memcmp(one, two, sizeof one) && memcmp(one, none, sizeof one));
        close(fd);
        fd = open("/dev/random", O_RDONLY);
        ASK(read(fd, one, 5));
        close(fd);
}

static void by_name(void)
{
        int ends[2], fd = open("asked", O_RDWR | O_CREAT | O_TRUNC, 0644);
        char name[40], text[10] = "";
        ASK(write(fd, "hello", 5));
        snprintf(name, sizeof name, "/dev/fd/%d", fd);
        int again = open(name, O_RDONLY);
        ASK(read(again, text, 10)), ASK(text[0]);
        close(again);
        close(fd);
        ASK(open("/dev/fd/900", O_RDONLY)), ASK(pipe(ends));
        snprintf(name, sizeof name, "/dev/fd/%d", ends[0]);
        again = open(name, O_RDONLY);
        ASK(write(ends[1], "piped", 5)), ASK(read(again, text, 10));
        close(ends[0]);
        ASK(write(ends[1], "x", 1));
        close(ends[1]);
        ASK(read(again, text, 10)), ASK(read(again, text, 10));
        close(again);
        ASK(pipe(ends));
        snprintf(name, sizeof name, "/proc/self/fd/%d", ends[0]);
        again = open(name, O_WRONLY);
        ASK(write(again, "y", 1)), ASK(read(ends[0], text, 10));
        close(again), close(ends[0]), close(ends[1]);
        unlink("asked");
}

static void show(const char *what)
{
        struct stat about = {.st_mode = 0};
        char text[60];
        lstat("owned", &about);
        snprintf(text, sizeof text, "%d %d %o", (int)about.st_uid, (int)about.st_gid,
                 about.st_mode & 07777);
        note(what, text);
}

static void owners(void)
{
        int fd = open("owned", O_RDWR | O_CREAT | O_TRUNC, 0644);
        ASK(fchmod(fd, 06755)), ASK(chown("owned", 5, 6));
        show("chown");
        ASK(fchown(fd, -1, 7));
        show("fchown");
        ASK(lchown("owned", 8, -1)), ASK(fchownat(AT_FDCWD, "owned", -1, -1, 0));
        show("fchownat");
        ASK(syscall(SYS_fchownat, fd, "", 9, 9, AT_EMPTY_PATH));
        show("by descriptor");
        ASK(fchownat(AT_FDCWD, "owned", 0, 0, 0x4000)), ASK(chown("nothing", 1, 1));
        ASK(fchown(-1, 1, 1)), ASK(symlink("nothing", "owned.link"));
        ASK(chown("owned.link", 1, 1)), ASK(lchown("owned.link", 1, 1));
        unlink("owned.link"), unlink("owned"), close(fd);
}

static void processor(void)
{
        cpu_set_t set;
        CPU_ZERO(&set);
        ASK(sched_getaffinity(0, sizeof set, &set)), ASK(CPU_ISSET(0, &set));
        ASK(sched_getaffinity(4000000, sizeof set, &set));
        ASK(syscall(SYS_sched_getaffinity, 0, 1, &set));
        ASK(syscall(SYS_sched_getaffinity, 0, sizeof set, 8));
        CPU_ZERO(&set);
        ASK(sched_setaffinity(0, sizeof set, &set));
        CPU_SET(0, &set);
        ASK(sched_setaffinity(0, sizeof set, &set)), ASK(syscall(SYS_getgroups, -1, NULL));
        ASK(getgroups(0, NULL) >= 0);
}

static void write_late(void)
{
        nap(50);
        int fd = open(FIFO, O_WRONLY);
        _exit((int)write(fd, "late", 4));
}

static void nothing(int signal)
{
        (void)signal;
}

static void pipes(void)
{
        struct stat about;
        char text[10];
        ASK(mknod(FIFO, S_IFIFO | 0600, 0)), ASK(mknod(FIFO, S_IFIFO | 0600, 0));
        ASK(mkfifo("nowhere/x", 0600)), ASK(mknod("asked", S_IFDIR | 0700, 0));
        ASK(mknod("asked", 0110000, 0)), ASK(mknod("asked", 0644, 0)), ASK(stat("asked", &about));
        ASK(S_ISREG(about.st_mode)), ASK(unlink("asked")), ASK(stat(FIFO, &about));
        ASK(about.st_mode), ASK(open(FIFO, O_WRONLY | O_NONBLOCK));
        int reads = open(FIFO, O_RDONLY | O_NONBLOCK);
        struct pollfd asked = {reads, POLLIN, 0};
        ASK(read(reads, text, 1)), ASK(poll(&asked, 1, 0));
        int writes = open(FIFO, O_WRONLY | O_NONBLOCK);
        ASK(read(reads, text, 1)), ASK(write(writes, "abc", 3));
        ASK(poll(&asked, 1, 0) * 1000 + asked.revents), ASK(read(reads, text, 10));
        close(writes);
        ASK(poll(&asked, 1, 0) * 1000 + asked.revents), ASK(read(reads, text, 10));
        ASK(lseek(reads, 0, SEEK_SET)), ASK(fstat(reads, &about) || !S_ISFIFO(about.st_mode));
        close(reads);
        pid_t pid = child(write_late);
        reads = open(FIFO, O_RDONLY);
        ASK(read(reads, text, 10)), ASK(status_of(pid)), ASK(read(reads, text, 10));
        close(reads);
        int both = open(FIFO, O_RDWR);
        ASK(write(both, "xy", 2)), ASK(read(both, text, 10));
        close(both);
        catch (SIGALRM, nothing, 0);
        alarm(1);
        ASK(open(FIFO, O_RDONLY)), ASK(open(FIFO, O_WRONLY | O_NONBLOCK)), ASK(unlink(FIFO));
}

static void file_systems(void)
{
        struct statfs about;
        int ends[2], fd = open("/proc/self/stat", O_RDONLY);
        ASK(statfs("/proc", &about)), ASK(about.f_type), ASK(fstatfs(fd, &about));
        ASK(about.f_type), ASK(about.f_namelen);
        close(fd);
        ASK(statfs("/dev/pts", &about)), ASK(about.f_type), ASK(statfs("/tmp", &about));
        ASK(about.f_bsize > 0 && about.f_blocks >= about.f_bfree && about.f_bfree > 0);
        ASK(about.f_namelen), ASK(statfs("/nothing", &about)), ASK(fstatfs(-1, &about));
        ASK(syscall(SYS_statfs, "/tmp", 8)), ASK(pipe(ends)), ASK(fstatfs(ends[0], &about));
        ASK(about.f_type);
        close(ends[0]), close(ends[1]);
        FILE *mounts = fopen("/proc/mounts", "r");
        char line[300], type[40];
        while (mounts && fgets(line, sizeof line, mounts))
                if (sscanf(line, "%*s /proc %39s", type) == 1)
                        note("/proc is", type);
        if (mounts)
                fclose(mounts);
}

void ask_system(void)
{
        random_bytes();
        by_name();
        owners();
        processor();
        pipes();
        file_systems();
}
