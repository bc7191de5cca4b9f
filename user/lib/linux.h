/*
 * linux.h - Linux's system calls and their constants, for programs without a libc.
 *
 * Every call returns its result or -errno. CALLn(name, i386 number, amd64 number, n parameters):
 * numbers from syscall_32.tbl and syscall_64.tbl, constants from include/uapi.
 */
#ifndef TOLLGATE_LINUX_H
#define TOLLGATE_LINUX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lib.h"
#include "stat.h"

#define E2BIG 7
#define ECHILD 10
#define EINTR 4
#define ENOENT 2
#define ENOEXEC 8
#define EEXIST 17
#define EXDEV 18
#define ENOTDIR 20
#define EISDIR 21
#define EINVAL 22
#define ENOSYS 38
#define ENAMETOOLONG 36

#define O_RDONLY 0
#define O_WRONLY 1
#define O_RDWR 2
#define O_CREAT 0100
#define O_EXCL 0200
#define O_TRUNC 01000
#define O_APPEND 02000
#define O_DIRECTORY 0200000
#define O_CLOEXEC 02000000

#define S_IFMT 0170000
#define S_IFSOCK 0140000
#define S_IFLNK 0120000
#define S_IFREG 0100000
#define S_IFBLK 0060000
#define S_IFDIR 0040000
#define S_IFCHR 0020000
#define S_IFIFO 0010000

#define WNOHANG 1

#define SIGINT 2
#define SIGQUIT 3
#define SIGKILL 9
#define SIGPIPE 13
#define SIGTERM 15
#define SIGTSTP 20
#define SIGTTIN 21
#define SIGTTOU 22

#define SIG_DFL 0
#define SIG_IGN 1
#define SA_SIGINFO 4 /* a frame that rt_sigreturn takes: on i386 there is another */
#define SA_RESTORER 0x04000000
#define SA_NODEFER 0x40000000

#define TIOCSCTTY 0x540e
#define TIOCGPGRP 0x540f
#define TIOCSPGRP 0x5410

#define CLOCK_MONOTONIC 1
#define PATH_MAX 4096

struct timespec {
        long seconds, nanoseconds;
};

/* In ticks of USER_HZ, 100 a second. */
struct tms {
        long user, system, children_user, children_system;
};

struct dirent64 {
        uint64_t inode;
        int64_t offset;
        uint16_t length; /* of this entry, to the next */
        uint8_t type;
        char name[];
} __attribute__((packed));

struct sigaction {
        uintptr_t handler;
        unsigned long flags;
        void (*restorer)(void);
        unsigned long mask[8 / sizeof(long)];
};

#define NUMBER(i386, amd64) (sizeof(void *) == 8 ? (amd64) : (i386))
#define CALL0(name, i386, amd64)                                                                   \
        static inline long name(void)                                                              \
        {                                                                                          \
                return system_call(NUMBER(i386, amd64), 0L, 0L, 0L, 0L, 0L, 0L);                   \
        }
#define CALL1(name, i386, amd64, A)                                                                \
        static inline long name(A a)                                                               \
        {                                                                                          \
                return system_call(NUMBER(i386, amd64), (long)a, 0L, 0L, 0L, 0L, 0L);              \
        }
#define CALL2(name, i386, amd64, A, B)                                                             \
        static inline long name(A a, B b)                                                          \
        {                                                                                          \
                return system_call(NUMBER(i386, amd64), (long)a, (long)b, 0L, 0L, 0L, 0L);         \
        }
#define CALL3(name, i386, amd64, A, B, C)                                                          \
        static inline long name(A a, B b, C c)                                                     \
        {                                                                                          \
                return system_call(NUMBER(i386, amd64), (long)a, (long)b, (long)c, 0L, 0L, 0L);    \
        }
#define CALL4(name, i386, amd64, A, B, C, D)                                                       \
        static inline long name(A a, B b, C c, D d)                                                \
        {                                                                                          \
                return system_call(NUMBER(i386, amd64), (long)a, (long)b, (long)c, (long)d, 0L,    \
                                   0L);                                                            \
        }

/* clang-format off */
CALL0(fork,            2,  57)
CALL3(execve,         11,  59, const char *, char *const *, char *const *)
CALL4(wait4,         114,  61, long, int *, int, void *)
CALL1(exit_group,    252, 231, int)
CALL0(getpid,         20,  39)
CALL0(getppid,        64, 110)
CALL0(setsid,         66, 112)
CALL2(setpgid,        57, 109, long, long)
CALL2(kill,           37,  62, long, int)
CALL4(rt_sigaction,  174,  13, int, const struct sigaction *, struct sigaction *, size_t)
CALL2(nanosleep,     162,  35, const struct timespec *, struct timespec *)
CALL2(clock_gettime, 265, 228, int, struct timespec *)
CALL1(times,          43, 100, struct tms *)

CALL3(open,            5,   2, const char *, int, int)
CALL1(close,           6,   3, int)
CALL3(read,            3,   0, int, void *, size_t)
CALL3(write,           4,   1, int, const void *, size_t)
CALL1(pipe,           42,  22, int *)
CALL2(dup2,           63,  33, int, int)
CALL3(dup3,           330, 292, int, int, int)
CALL3(ioctl,          54,  16, int, unsigned long, void *)
CALL3(getdents64,    220, 217, int, void *, size_t)
CALL2(stat,          195,   4, const char *, struct stat *)
CALL2(lstat,         196,   6, const char *, struct stat *)
CALL2(fstat,         197,   5, int, struct stat *)

CALL1(chdir,          12,  80, const char *)
CALL2(getcwd,        183,  79, char *, size_t)
CALL2(mkdir,          39,  83, const char *, int)
CALL1(rmdir,          40,  84, const char *)
CALL1(unlink,         10,  87, const char *)
CALL2(rename,         38,  82, const char *, const char *)
CALL2(link,            9,  86, const char *, const char *)
CALL2(symlink,        83,  88, const char *, const char *)
CALL3(readlink,       85,  89, const char *, char *, size_t)
/* clang-format on */

#undef CALL0
#undef CALL1
#undef CALL2
#undef CALL3
#undef CALL4

void signal_return(void); /* start.asm: rt_sigreturn, where a handler returns to */

/* handler: a function, SIG_DFL or SIG_IGN. A call that a handler interrupts returns -EINTR. */
long signal_set(int signal, uintptr_t handler);
const char *signal_name(int signal); /* "SIGINT", or "signal 64" in a buffer of its own */
int signal_number(const char *name); /* of "INT", "SIGINT" or "2"; -1 = no such signal */
const char *error_text(long error);  /* of an errno or -errno, as Linux's manuals put it */

#endif
