/* poll.c - signals and stops while a program waits for files. */
#include "answers.h"
#include <poll.h>
#include <sys/select.h>
#include "../asleep.h"

static int ends[2], caught;

static void open_pipe(void)
{
        if (pipe(ends))
                abort();
}

static void close_pipe(void)
{
        close(ends[0]);
        close(ends[1]);
}

static void count(int signal)
{
        caught += signal == SIGUSR1;
}

static void nudge(void)
{
        until_asleep(getppid());
        kill(getppid(), SIGUSR1);
}

static void interrupted(void)
{
        struct pollfd one = {.events = POLLIN};
        struct timespec ages = {1000, 0};
        sigset_t usr1, none;
        sigemptyset(&none);
        sigemptyset(&usr1);
        sigaddset(&usr1, SIGUSR1);
        open_pipe();
        one.fd = ends[0];
        catch (SIGUSR1, count, SA_RESTART);
        pid_t pid = child(nudge);
        ASK(poll(&one, 1, -1)), ASK(caught);
        status_of(pid);
        pid = child(nudge);
        ASK(select(0, NULL, NULL, NULL, NULL)), ASK(caught);
        status_of(pid);

        sigprocmask(SIG_BLOCK, &usr1, NULL);
        raise(SIGUSR1);
        ASK(poll(&one, 1, 10)), ASK(caught), ASK(ppoll(&one, 1, &ages, &none)), ASK(caught);
        raise(SIGUSR1);
        ASK(pselect(0, NULL, NULL, NULL, &ages, &none)), ASK(caught);
        sigprocmask(SIG_SETMASK, NULL, &none);
        ASK(sigismember(&none, SIGUSR1));
        sigemptyset(&none);
        raise(SIGUSR1);
        struct pollfd ready = {.fd = ends[1], .events = POLLOUT};
        ASK(ppoll(&ready, 1, NULL, &none) <= 1);
        sigprocmask(SIG_SETMASK, NULL, &none);
        ASK(sigismember(&none, SIGUSR1));
        sigprocmask(SIG_UNBLOCK, &usr1, NULL);
        ASK(caught), ASK(syscall(SYS_ppoll, &one, 1, NULL, &none, 7));
        catch (SIGUSR1, SIG_DFL, 0);
        close_pipe();
}

/* After a stop and continue, the wait lasts for the remaining time: by a gate, because a direct
 * call is not restarted (docs/trusted.md). */
static void wait_once(void)
{
        long result = SYS_poll;
#ifdef __i386__
        __asm__ volatile("int $0x80" : "+a"(result) : "b"(0), "c"(0), "d"(150) : "memory");
#else
        result = poll(NULL, 0, 150);
#endif
        _exit(result != 0);
}

static void stopped(void)
{
        pid_t pid = child(wait_once);
        nap(30);
        kill(pid, SIGSTOP);
        nap(30);
        kill(pid, SIGCONT);
        ASK(status_of(pid));
}

void ask_poll(void)
{
        interrupted();
        stopped();
}
