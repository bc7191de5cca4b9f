/* programs.h - for the programs of programs.txt, whose main() prints its results line by line. */
#pragma once
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <linux/futex.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <regex.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Prints the call and the result: a number, or -errno. */
#define ASK(call) (errno = 0, say(#call, (long)(call)))
static inline void say(const char *what, long result)
{
        printf("%s: %ld\n", what, result == -1 && errno ? -(long)errno : result);
        fflush(stdout);
}

static int ends[2];
static char text[4096];
static volatile int caught;

static inline void on(int signal)
{
        caught += signal;
}

/* Data for a call that is restarted. */
static inline void write_late(int signal)
{
        caught += signal;
        (void)!write(ends[1], "x", 1);
}

static inline void catch_with(int signal, void (*handler)(int), int flags)
{
        sigaction(signal, &(struct sigaction){.sa_handler = handler, .sa_flags = flags}, NULL);
}

/* In 30 ms SIGALRM interrupts the current call; its handler writes a byte if `again`. */
static inline void interrupt(int flags, int again)
{
        const struct itimerval once = {{0, 0}, {0, 30000}};
        catch_with(SIGALRM, again ? write_late : on, flags);
        setitimer(ITIMER_REAL, &once, NULL);
}

static inline void *thread(void *number)
{
        caught += (int)(intptr_t)number;
        return number;
}

static inline int status_of(pid_t pid)
{
        int status = -1;
        waitpid(pid, &status, 0);
        return status;
}
