/* child.c - waits for a child, but not for ever. */
#include "child.h"
#include "lib.h"
#include "watch.h"

#define TICK 1 /* milliseconds */

int child_wait(long pid, unsigned limit)
{
        const struct timespec tick = {0, TICK * 1000000};
        int status = 0;
        for (unsigned slept = 0; slept < limit; slept += TICK) {
                long ended = system_call(LINUX_wait4, pid, &status, WNOHANG, 0L, 0L, 0L);
                if (ended)
                        return ended == pid ? status : CHILD_HUNG;
                system_call(LINUX_nanosleep, &tick, 0L, 0L, 0L, 0L, 0L);
        }
        system_call(LINUX_kill, pid, (long)SIGKILL, 0L, 0L, 0L, 0L);
        system_call(LINUX_wait4, pid, &status, 0L, 0L, 0L, 0L);
        return CHILD_HUNG;
}

bool would_do_harm(bool tollgate)
{
        if (tollgate || system_call(LINUX_geteuid, 0L, 0L, 0L, 0L, 0L, 0L))
                return false;
        print("not as root: on this kernel it would do harm\n");
        return true;
}

const char *end_name(unsigned signal)
{
        static const char *const names[] = {
                [0] = "lives",         [SIGILL] = "SIGILL",   [SIGTRAP] = "SIGTRAP",
                [SIGABRT] = "SIGABRT", [SIGBUS] = "SIGBUS",   [SIGFPE] = "SIGFPE",
                [SIGKILL] = "SIGKILL", [SIGUSR1] = "SIGUSR1", [SIGSEGV] = "SIGSEGV",
                [SIGSYS] = "SIGSYS",
        };
        return signal < sizeof names / sizeof *names && names[signal] ? names[signal] : "a signal";
}
