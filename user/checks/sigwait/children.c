/* children.c - children that stop, continue and end; groups; pipes without a reader. */
#include "sigwait.h"

#define STOPPED(signal) ((signal) << 8 | 0x7f)
#define WENT_ON 0xffff

static struct siginfo info;

static void extended(int signal, struct siginfo *i, struct ucontext *uc)
{
        info = *i;
        count++;
}

/* Linux sends it from the child, when that runs, or behind wait4(). */
static void until_told(int times)
{
        for (int i = 0; count < times && i < 100000; i++)
                sleep_ms(10);
}

static void check_child(const char *name, long child, int code, int status)
{
        check(info.signal == SIGCHLD && info.code == code && info.pid == child &&
                      info.status == status,
              name, "SIGCHLD: code %d, status %d", info.code, info.status);
}

void try_stop(void)
{
        act(SIGCHLD, extended, SA_SIGINFO | SA_RESTART);
        long child = fork();
        if (!child)
                sleep_for_ever();
        kill(child, SIGSTOP);
        until_told(1); /* on Linux its status is 0 if wait4 came first */
        int status = status_of(child, WUNTRACED);
        check(status == STOPPED(SIGSTOP), "SIGSTOP", "wait4 tells: %x", (unsigned)status);
        check_child("SIGSTOP", child, CLD_STOPPED, SIGSTOP);
        long again = wait4(child, NULL, WUNTRACED | WNOHANG, NULL);
        check(!again, "SIGSTOP", "once: %ld", again);
        kill(child, SIGCONT);
        status = status_of(child, WCONTINUED);
        check(status == WENT_ON, "SIGCONT", "wait4 tells: %x", (unsigned)status);
        until_told(2);
        check_child("SIGCONT", child, CLD_CONTINUED, SIGCONT);
        kill(child, SIGSTOP);
        status_of(child, WUNTRACED);
        until_told(3);
        kill(child, SIGKILL);
        status = status_of(child, 0);
        check(status == SIGKILL, "SIGKILL", "ends what is stopped: %x", (unsigned)status);
        check_child("SIGKILL", child, CLD_KILLED, SIGKILL);
        child = fork();
        if (!child)
                exit_group(5);
        status_of(child, 0);
        check_child("exit", child, CLD_EXITED, 5);
        act(SIGCHLD, (const void *)SIG_DFL, 0);
}

void try_groups(void)
{
        long first = fork();
        if (!first)
                sleep_for_ever();
        long second = fork();
        if (!second)
                sleep_for_ever();
        setpgid(first, first);
        setpgid(second, first);
        long result = kill(-first, SIGTERM);
        int one = status_of(first, 0), two = status_of(second, 0);
        check(!result && one == SIGTERM && two == SIGTERM, "group", "all of it: %ld, %x, %x",
              result, (unsigned)one, (unsigned)two);
        check(kill(-first, SIGTERM) == -ESRCH, "group", "none is left");

        char byte;
        int ends[2];
        pipe(ends);
        first = fork();
        if (!first) {
                setpgid(0, 0);
                if (!fork())
                        sleep_for_ever();
                kill(0, SIGTERM);
                sleep_for_ever();
        }
        close(ends[1]);
        result = read(ends[0], &byte, 1);
        one = status_of(first, 0);
        check(!result && one == SIGTERM, "group", "kill(0) ends the own one: %ld, %x", result,
              (unsigned)one);
        close(ends[0]);
}

void try_pipe(void)
{
        int ends[2];
        pipe(ends);
        close(ends[0]);
        long child = fork();
        if (!child) {
                write(ends[1], "x", 1);
                exit_group(0);
        }
        int status = status_of(child, 0);
        check(status == SIGPIPE, "SIGPIPE", "nobody reads: %x", (unsigned)status);
        act(SIGPIPE, (const void *)SIG_IGN, 0);
        long result = write(ends[1], "x", 1);
        check(result == -EPIPE, "SIGPIPE", "ignored: %ld", result);
        close(ends[1]);
        act(SIGPIPE, (const void *)SIG_DFL, 0);
}
