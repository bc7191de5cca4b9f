/*
 * watch.h - what programs that start and watch others need of Linux's interface: numbers
 * (syscall_32.tbl, syscall_64.tbl), constants and structures (uapi headers).
 */
#ifndef TOLLGATE_WATCH_H
#define TOLLGATE_WATCH_H

#include <stdint.h>

#define LINUX_CALLS(CALL)                                                                          \
        CALL(fork, 2, 57)                                                                          \
        CALL(geteuid, 201, 107) /* i386: geteuid32 */                                              \
        CALL(kill, 37, 62)                                                                         \
        CALL(pipe, 42, 22)                                                                         \
        CALL(close, 6, 3)                                                                          \
        CALL(dup2, 63, 33)                                                                         \
        CALL(wait4, 114, 61)                                                                       \
        CALL(mprotect, 125, 10)                                                                    \
        CALL(munmap, 91, 11)                                                                       \
        CALL(mmap, 192, 9) /* i386: mmap2 */                                                       \
        CALL(nanosleep, 162, 35)                                                                   \
        CALL(pause, 29, 34)                                                                        \
        CALL(rt_sigaction, 174, 13)                                                                \
        CALL(sigaltstack, 186, 131)

enum {
#define LINUX_NUMBER(name, i386, amd64) LINUX_##name = sizeof(void *) == 8 ? (amd64) : (i386),
        LINUX_CALLS(LINUX_NUMBER)
#undef LINUX_NUMBER
};

enum {
        SIGILL = 4,
        SIGTRAP,
        SIGABRT,
        SIGBUS,
        SIGFPE,
        SIGKILL,
        SIGUSR1,
        SIGSEGV,
        SIGSYS = 31
};

#define SA_SIGINFO 4u
#define SA_RESTORER 0x04000000u
#define SA_ONSTACK 0x08000000u
#define SA_NODEFER 0x40000000u

struct signal_action {
        uintptr_t handler;
        unsigned long flags;
        uintptr_t restorer;
        uint64_t mask;
};

struct signal_stack {
        void *base;
        int flags;
        unsigned long size;
};

struct timespec {
        long seconds, nanoseconds;
};

#define PROT_READ 1L
#define PROT_WRITE 2L
#define PROT_EXEC 4L
#define MAP_PRIVATE 2L
#define MAP_FIXED 16L
#define MAP_ANONYMOUS 32L
#define WNOHANG 1L

#define ENOENT 2
#define ECHILD 10
#define ENOMEM 12
#define EFAULT 14
#define EINVAL 22
#define ENOSYS 38

#endif
