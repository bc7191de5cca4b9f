/* poll.c - waiting for several files. */
#include "answers.h"
#include <poll.h>
#include <sys/select.h>

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

static void show(const char *what, int fd)
{
        struct pollfd one = {.fd = fd, .events = 0x3ff};
        int result = poll(&one, 1, 0);
        printf("= poll of %s: %d, %x\n", what, result, one.revents);
}

static void kinds(void)
{
        char page[4096] = "";
        open_pipe();
        show("an empty pipe, to read", ends[0]);
        show("an empty pipe, to write", ends[1]);
        if (write(ends[1], page, sizeof page) != sizeof page)
                abort();
        show("a pipe with a page, to read", ends[0]);
        close(ends[1]);
        show("a pipe with a page that nobody writes", ends[0]);
        if (read(ends[0], page, sizeof page) != sizeof page)
                abort();
        show("an empty pipe that nobody writes", ends[0]);
        close(ends[0]);
        open_pipe();
        close(ends[0]);
        show("a pipe that nobody reads", ends[1]);
        close(ends[1]);
        show("a descriptor that is not open", ends[1]);
        show("no descriptor", -1);
        static const char *const paths[] = {"/dev/null", "/dev/zero", "/tmp", "polled"};
        close(open("polled", O_CREAT | O_RDWR, 0600));
        for (unsigned i = 0; i < sizeof paths / sizeof *paths; i++) {
                int fd = open(paths[i], O_RDONLY);
                show(paths[i], fd);
                close(fd);
        }
        unlink("polled");
}

static void write_later(void)
{
        nap(30);
        if (write(ends[1], "x", 1) != 1)
                abort();
}

static void close_later(void)
{
        close(ends[0]);
        nap(30);
}

static void read_later(void)
{
        char page[4096];
        nap(30);
        if (read(ends[0], page, sizeof page) < 0)
                abort();
}

static void waits(void)
{
        struct pollfd two[2] = {{.fd = -1}, {.events = POLLIN}};
        open_pipe();
        two[1].fd = ends[0];
        pid_t pid = child(write_later);
        ASK(poll(two, 2, -1)), ASK(two[0].revents), ASK(two[1].revents);
        status_of(pid);
        close_pipe();

        open_pipe();
        two[1].fd = ends[0];
        pid = child(close_later);
        close(ends[1]);
        ASK(poll(two, 2, 10000)), ASK(two[1].revents);
        status_of(pid);
        close(ends[0]);

        static const char full[65536];
        open_pipe();
        fcntl(ends[1], F_SETFL, O_NONBLOCK);
        while (write(ends[1], full, 4096) > 0)
                ;
        two[1] = (struct pollfd){.fd = ends[1], .events = POLLOUT};
        ASK(poll(two, 2, 0));
        pid = child(read_later);
        ASK(poll(two, 2, 10000)), ASK(two[1].revents);
        status_of(pid);
        close_pipe();

        open_pipe();
        two[1] = (struct pollfd){.fd = ends[0], .events = POLLIN};
        ASK(poll(two, 2, 20)), ASK(poll(two, 2, 0)), ASK(poll(NULL, 0, 20));
        ASK(syscall(SYS_poll, NULL, 1, 0)), ASK(syscall(SYS_poll, 8, 1, 0));
        ASK(syscall(SYS_poll, two, -1, 0)), ASK(syscall(SYS_poll, two, 1 << 20, 0));
        close_pipe();
}

static void pselects(void)
{
        fd_set in, out, bad;
        struct timeval soon = {0, 20000}, wrong = {0, -1};
        open_pipe();
        FD_ZERO(&in);
        FD_ZERO(&out);
        FD_ZERO(&bad);
        FD_SET(ends[0], &in);
        FD_SET(ends[1], &out);
        FD_SET(ends[0], &bad);
        ASK(select(ends[1] + 1, &in, &out, &bad, NULL)), ASK(FD_ISSET(ends[0], &in) != 0);
        ASK(FD_ISSET(ends[1], &out) != 0), ASK(FD_ISSET(ends[0], &bad) != 0);
        FD_SET(ends[0], &in);
        pid_t pid = child(write_later);
        ASK(select(ends[0] + 1, &in, NULL, NULL, NULL)), ASK(FD_ISSET(ends[0], &in) != 0);
        status_of(pid);
        FD_SET(ends[1], &in); /* written, not read */
        FD_CLR(ends[0], &in);
        ASK(select(ends[1] + 1, &in, NULL, NULL, &soon)), ASK(FD_ISSET(ends[1], &in) != 0);
        ASK(soon.tv_sec + soon.tv_usec);
        ASK(select(0, NULL, NULL, NULL, &(struct timeval){0, 1000}));
        ASK(select(0, NULL, NULL, NULL, &wrong)), ASK(select(-1, NULL, NULL, NULL, NULL));
        ASK(select(3, (fd_set *)8, NULL, NULL, NULL));
        close_pipe();
        FD_ZERO(&in);
        FD_SET(ends[0], &in);
        ASK(select(ends[0] + 1, &in, NULL, NULL, NULL));
}

static void count(int signal)
{
        caught += signal == SIGUSR1;
}

static void nudge(void)
{
        nap(30);
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

/* Stopped and gone on, the wait goes on for the rest of its time: by a gate, for a direct call is
 * not made again (docs/trusted.md). */
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

static void same_one(void)
{
        static struct pollfd all[1000];
        open_pipe();
        for (int i = 0; i < 1000; i++)
                all[i] = (struct pollfd){.fd = ends[0], .events = POLLIN};
        pid_t pid = child(write_later);
        ASK(poll(all, 1000, -1)), ASK(all[999].revents);
        status_of(pid);
        close_pipe();
}

void ask_poll(void)
{
        kinds();
        waits();
        pselects();
        interrupted();
        stopped();
        same_one();
}
