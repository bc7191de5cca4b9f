/* init.c - starts the shell, or the given program, on the console in a session of its own, and
 * reaps all processes. A program killed by a signal is restarted. When a program ends, init ends
 * with its status; when a person leaves the shell, with 0. */
#include "console.h"

static char *const environment[] = {"PATH=/bin", "HOME=/", NULL};

_Noreturn static void become(char **arguments, char *const *envp)
{
        setsid();
        signals_as_at_login();
        ioctl(0, TIOCSCTTY, (void *)1); /* taken by init's session */
        int group = (int)getpid();
        signal_set(SIGTTOU, SIG_IGN);
        ioctl(0, TIOCSPGRP, &group);
        signal_set(SIGTTOU, SIG_DFL);
        complain("init", arguments[0], execve(arguments[0], arguments, envp));
        exit_group(127);
        __builtin_unreachable();
}

/* wait4's status for `pid`, reaping others meanwhile; or -errno. */
static long reap(long pid)
{
        for (;;) {
                int status;
                long ended = wait4(-1, &status, 0, NULL);
                if (ended == pid)
                        return status;
                if (ended < 0 && ended != -EINTR)
                        return ended;
        }
}

int main(int argc, char **argv, char **envp)
{
        static char *shell[] = {"/bin/sh", NULL};
        /* Kernel words are arguments of suites; a path means a program to run. */
        char **arguments = argc > 1 && strchr(argv[1], '/') ? argv + 1 : shell;
        for (;;) {
                long pid = fork();
                if (pid == 0)
                        become(arguments, *envp ? envp : environment);
                if (pid < 0)
                        return complain("init", "fork", pid);
                long status = reap(pid);
                if (status < 0)
                        return complain("init", arguments[0], status);
                if (!(status & 0x7f))
                        return arguments == shell ? 0 : (int)(status >> 8 & 0xff);
                put_format(2, "init: %s was killed by %s; it is started again\n", arguments[0],
                           signal_name((int)status & 0x7f));
        }
}
