/* linux.h - Linux's system calls and their structures, for programs without a libc.
 *
 * Every call returns its result or -errno. CALLn(name, types of n parameters): numbers from
 * numbers.h, constants from uapi.h and errno.h. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include "errno.h"
#include "lib.h"
#include "sigcontext.h"
#include "stat.h"
#include "uapi.h"

struct timespec {
        long seconds, nanoseconds;
};

struct pollfd {
        int fd;
        uint16_t events, answer;
};

/* Times in ticks of USER_HZ, 100 a second. */
struct tms {
        long user, system, children_user, children_system;
};

struct dirent64 {
        uint64_t inode;
        int64_t offset;
        uint16_t length; /* offset to the next entry */
        uint8_t type;
        char name[];
} __attribute__((packed));

struct sigaction {
        uintptr_t handler;
        unsigned long flags;
        uintptr_t restorer;
        uint64_t mask;
};

struct sigaltstack {
        uintptr_t start;
        unsigned flags;
        unsigned long size;
};

struct siginfo {
        int signal, error, code;
        union {
                struct {
                        int pid, uid, status; /* of SIGCHLD */
                };
                uintptr_t address;
        };
};

struct ucontext {
        unsigned long flags, link;
        struct sigaltstack stack;
        struct sigcontext context;
        uint32_t mask[2];
};

/* set_thread_area(2), i386. */
struct user_desc {
        uint32_t entry, base, limit, bits;
};
#define USER_DESC_FLAT 0x51 /* bits: 32-bit, limit in pages, useable */

struct termios {
        uint32_t input, output, control, local;
        uint8_t rest[20];
};

#define CALL0(name)                                                                                \
        static inline long name(void)                                                              \
        {                                                                                          \
                return system_call(NUMBER_##name);                                                 \
        }
#define CALL1(name, A)                                                                             \
        static inline long name(A a)                                                               \
        {                                                                                          \
                return system_call(NUMBER_##name, a);                                              \
        }
#define CALL2(name, A, B)                                                                          \
        static inline long name(A a, B b)                                                          \
        {                                                                                          \
                return system_call(NUMBER_##name, a, b);                                           \
        }
#define CALL3(name, A, B, C)                                                                       \
        static inline long name(A a, B b, C c)                                                     \
        {                                                                                          \
                return system_call(NUMBER_##name, a, b, c);                                        \
        }
#define CALL4(name, A, B, C, D)                                                                    \
        static inline long name(A a, B b, C c, D d)                                                \
        {                                                                                          \
                return system_call(NUMBER_##name, a, b, c, d);                                     \
        }

/* clang-format off */
CALL0(fork)
CALL3(execve, const char *, char *const *, char *const *)
CALL4(wait4, long, int *, int, void *)
CALL1(sysinfo, long *)
CALL1(exit_group, int)
CALL0(getpid)
CALL0(getppid)
CALL0(gettid)
CALL0(setsid)
CALL2(setpgid, long, long)
CALL2(kill, long, int)
CALL4(rt_sigaction, int, const struct sigaction *, struct sigaction *, size_t)
CALL4(rt_sigprocmask, int, const uint64_t *, uint64_t *, size_t)
CALL2(rt_sigsuspend, const uint64_t *, size_t)
CALL2(sigaltstack, const struct sigaltstack *, struct sigaltstack *)
CALL3(tgkill, long, long, int)
CALL0(pause)
CALL2(munmap, uintptr_t, size_t)
CALL3(mprotect, uintptr_t, size_t, int)
CALL3(madvise, uintptr_t, size_t, int)
CALL3(msync, uintptr_t, size_t, int)
CALL2(nanosleep, const struct timespec *, struct timespec *)
CALL2(clock_gettime, int, struct timespec *)
CALL1(times, struct tms *)

CALL3(open, const char *, int, int)
CALL1(close, int)
CALL3(read, int, void *, size_t)
CALL3(write, int, const void *, size_t)
CALL1(pipe, int *)
CALL2(dup2, int, int)
CALL3(dup3, int, int, int)
CALL3(ioctl, int, unsigned long, void *)
CALL3(getdents64, int, void *, size_t)

CALL1(chdir, const char *)
CALL2(getcwd, char *, size_t)
CALL2(mkdir, const char *, int)
CALL1(rmdir, const char *)
CALL1(unlink, const char *)
CALL2(rename, const char *, const char *)
CALL2(link, const char *, const char *)
CALL2(symlink, const char *, const char *)
CALL3(readlink, const char *, char *, size_t)
/* clang-format on */

static inline long mmap(uintptr_t at, size_t size, int access, int flags)
{
        return system_call(LIBC_mmap, at, size, access, flags, -1);
}

/* Maps a whole file from its start. */
static inline long mmap_file(size_t size, int access, int flags, int fd)
{
        return system_call(LIBC_mmap, 0, size, access, flags, fd, 0);
}

static inline long stat(const char *path, struct stat *to)
{
        return system_call(LIBC_stat, path, to);
}

static inline long lstat(const char *path, struct stat *to)
{
        return system_call(LIBC_lstat, path, to);
}

static inline long fstat(int descriptor, struct stat *to)
{
        return system_call(LIBC_fstat, descriptor, to);
}

#define SYS(name, ...) system_call(NUMBER_##name, ##__VA_ARGS__)

static inline void sleep_ms(long milliseconds)
{
        const struct timespec span = {milliseconds / 1000, milliseconds % 1000 * 1000000};
        nanosleep(&span, NULL);
}

/* Until the other process's first thread sleeps in a call, or has ended. */
static inline void until_asleep(long pid)
{
        char path[32], text[64] = "";
        snprintf(path, sizeof path, "/proc/%ld/stat", pid);
        for (long size = 1; size > 0 && !strstr(text, ") S ") && !strstr(text, ") Z ");
             sleep_ms(1)) {
                int fd = (int)open(path, O_RDONLY, 0);
                size = read(fd, text, sizeof text - 1);
                text[size > 0 ? size : 0] = 0;
                close(fd);
        }
}

static inline _Noreturn void sleep_for_ever(void)
{
        for (;;)
                pause();
}

static inline int64_t monotonic_now(void)
{
        struct timespec time;
        clock_gettime(CLOCK_MONOTONIC, &time);
        return (int64_t)time.seconds * 1000000000 + (int64_t)time.nanoseconds;
}

/* A check that a call returned what it should. */
static inline void expect(const char *name, long is, long wanted)
{
        check(is == wanted, name, "%ld, not %ld", is, wanted);
}

#undef CALL0
#undef CALL1
#undef CALL2
#undef CALL3
#undef CALL4

void signal_return(void); /* start.asm: rt_sigreturn, the return address of a handler */

/* handler: a function, SIG_DFL or SIG_IGN. A call that a handler interrupts returns -EINTR. */
long signal_set(int signal, uintptr_t handler);
void signals_as_at_login(void);      /* no signal ignored or blocked: execve keeps both */
const char *signal_name(int signal); /* "SIGINT", or "signal 64" in a static buffer */
int signal_number(const char *name); /* for "INT", "SIGINT" or "2"; -1 = no such signal */
const char *error_text(long error);  /* for an errno or -errno, worded as in Linux's manuals */
