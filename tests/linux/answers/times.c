/* times.c - the times of files: utimensat(), and what changes them. */
#include "answers.h"
#include <sys/stat.h>

#define NAME "timed"

static const struct timespec given[2] = {{1000000000, 5}, {-3, 999999999}};

static void show(const char *name, const struct stat *about)
{
        char text[100];
        snprintf(text, sizeof text, "%ld.%09ld %ld.%09ld", (long)about->st_atim.tv_sec,
                 (long)about->st_atim.tv_nsec, (long)about->st_mtim.tv_sec,
                 (long)about->st_mtim.tv_nsec);
        note(name, text);
}

static int is_given(const struct timespec *time, int which)
{
        return time->tv_sec == given[which].tv_sec && time->tv_nsec == given[which].tv_nsec;
}

void ask_times(void)
{
        struct stat about, link;
        const struct timespec only_written[2] = {{0, UTIME_OMIT}, {77, 0}},
                              left[2] = {{9, UTIME_OMIT}, {9, UTIME_OMIT}},
                              read_now[2] = {{0, UTIME_NOW}, {0, UTIME_OMIT}},
                              wrong[2] = {{0, 0}, {0, 1000000000}};
        int fd = open(NAME, O_RDWR | O_CREAT | O_TRUNC, 0644);
        fstat(fd, &about);
        ASK(about.st_mtim.tv_sec > 1000000001 && about.st_ctim.tv_sec == about.st_atim.tv_sec);
        ASK(utimensat(AT_FDCWD, NAME, given, 0));
        stat(NAME, &about);
        show("given", &about);
        ASK(about.st_ctim.tv_sec > 1000000001);
        ASK(futimens(fd, only_written));
        fstat(fd, &about);
        show("only written", &about);
        ASK(utimensat(AT_FDCWD, NAME, left, 0));
        ASK(utimensat(AT_FDCWD, "/nowhere", left, 0));
        fstat(fd, &about);
        show("left", &about);
        ASK(futimens(fd, read_now));
        fstat(fd, &about);
        ASK(about.st_atim.tv_sec > 1000000001 && about.st_mtim.tv_sec == 77);
        ASK(futimens(fd, given));
        ASK(write(fd, "x", 1));
        fstat(fd, &about);
        ASK(is_given(&about.st_atim, 0) + 2 * is_given(&about.st_mtim, 1));
        ASK(futimens(fd, given));
        ASK(ftruncate(fd, 0));
        fstat(fd, &about);
        ASK(is_given(&about.st_atim, 0) + 2 * is_given(&about.st_mtim, 1));
        ASK(futimens(fd, NULL));
        fstat(fd, &about);
        ASK(is_given(&about.st_atim, 0));
        ASK(symlink(NAME, NAME ".link"));
        ASK(utimensat(AT_FDCWD, NAME ".link", given, AT_SYMLINK_NOFOLLOW));
        lstat(NAME ".link", &link);
        fstat(fd, &about);
        ASK(is_given(&link.st_mtim, 1) + 2 * is_given(&about.st_mtim, 1));
        ASK(utimensat(AT_FDCWD, NAME ".link", given, 0));
        fstat(fd, &about);
        ASK(is_given(&about.st_mtim, 1));
        ASK(mkdir(NAME ".d", 0755));
        ASK(utimensat(AT_FDCWD, NAME ".d", given, 0));
        ASK(rename(NAME ".link", NAME ".d/link"));
        stat(NAME ".d", &about);
        ASK(is_given(&about.st_atim, 0) + 2 * is_given(&about.st_mtim, 1));
        ASK(utimensat(AT_FDCWD, NAME ".d", given, 0));
        ASK(unlink(NAME ".d/link"));
        stat(NAME ".d", &about);
        ASK(is_given(&about.st_mtim, 1));
        ASK(utimensat(AT_FDCWD, NAME, wrong, 0));
        ASK(utimensat(AT_FDCWD, "/nowhere", given, 0));
        ASK(utimensat(AT_FDCWD, NAME "/x", given, 0));
        ASK(utimensat(AT_FDCWD, NAME, given, 1));
        ASK(syscall(SYS_utimensat, AT_FDCWD, NAME, 8, 0));
        ASK(syscall(SYS_utimensat, AT_FDCWD, NULL, NULL, 0));
        ASK(syscall(SYS_utimensat, fd, NULL, NULL, AT_SYMLINK_NOFOLLOW));
        ASK(syscall(SYS_utimensat, -1, NULL, NULL, 0));
        ASK(rmdir(NAME ".d"));
        ASK(unlink(NAME));
        ASK(close(fd));
}
