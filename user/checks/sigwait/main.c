/* main.c - signals between processes and threads: interrupted and restarted calls, stop and
 * continue, groups, SIGCHLD, SIGPIPE, what execve keeps.
 *
 * Every check also passes on a Linux host; the last ones are about Tollgate's own ways in. */
#include "sigwait.h"

volatile int count;
volatile long handled_by;
const char *self;
long pid;

void without_info(int signal)
{
        handled_by = gettid();
        count++; /* last: the waiting thread reads the other first */
}

long act(int signal, const void *handler, unsigned long flags)
{
        count = 0;
        return signal_act(signal, handler, flags, 0);
}

int status_of(long child, int options)
{
        int status = -1;
        long result;
        do
                result = wait4(child, &status, options, NULL);
        while (result == -EINTR);
        return result == child ? status : -1;
}

void end(long child)
{
        kill(child, SIGKILL);
        status_of(child, 0);
}

long nag(void)
{
        long child = fork();
        while (!child) {
                sleep_ms(10);
                kill(pid, SIGUSR1);
        }
        return child;
}

int main(int argc, char **argv)
{
        self = argv[0];
        pid = getpid();
        if (argc > 1 && !strcmp(argv[1], "second"))
                return second_life();
        if (argc > 1 && !strcmp(argv[1], "pending"))
                return pending_life();
        try_read();
        try_wait();
        try_sleep();
        try_suspend();
        try_direction();
        try_stop();
        try_groups();
        try_pipe();
        try_threads();
        try_left_signals();
        try_execve();
        try_rows();
        return check_status();
}
