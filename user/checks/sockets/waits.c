/* waits.c - poll(), ppoll(), select() and pselect6() on listening and connected sockets. */
#include "sockets.h"

#define IN (POLLIN | POLLRDNORM)

static struct timespec ages; /* set before each call, which subtracts what has passed */

/* The result of each of the four calls for one descriptor: waits until it is readable, or for a
 * time. */
static long by_poll(int fd)
{
        struct pollfd one = {fd, POLLIN, 0};
        return SYS(poll, &one, 1, 1000000);
}

static long by_ppoll(int fd)
{
        struct pollfd one = {fd, POLLIN, 0};
        return SYS(ppoll, &one, 1, &ages, 0, 8);
}

static long by_select(int fd)
{
        uint32_t set[4] = {0};
        set[fd / 32] = 1u << fd % 32;
        return SYS(select, fd + 1, set, 0, 0, &ages);
}

static long by_pselect(int fd)
{
        uint32_t set[4] = {0};
        set[fd / 32] = 1u << fd % 32;
        return SYS(pselect6, fd + 1, set, 0, 0, &ages, 0);
}

static const struct {
        const char *name;
        long (*ask)(int fd);
} ways[] = {
        {"poll", by_poll}, {"ppoll", by_ppoll}, {"select", by_select}, {"pselect6", by_pselect}};
#define WAYS (sizeof ways / sizeof *ways)

static void expect_of(const char *way, const char *what, long is, long wanted)
{
        char name[40];
        snprintf(name, sizeof name, "%s: %s", way, what);
        expect(name, is, wanted);
}

/* Another process does it while this one waits. */
static void in_a_while(void (*act)(int fd), int fd)
{
        long waiter = getpid();
        ages = (struct timespec){1000, 0};
        if (fork())
                return;
        until_asleep(waiter);
        act(fd);
        exit_group(0);
}

static void come(int fd)
{
        connect_to(fresh(0), "waits");
}

static void say(int fd)
{
        write(fd, "x", 1);
}

static void stop(int fd)
{
        SYS(shutdown, fd, 1);
}

static void wait_each(unsigned n)
{
        int ends[2], listener = listen_at("waits", 4, O_NONBLOCK);
        in_a_while(come, 0);
        expect_of(ways[n].name, "somebody comes", ways[n].ask(listener), 1);
        wait4(-1, NULL, 0, NULL);
        close(listener);
        unlink("waits");
        listener = meet("waits", ends, O_NONBLOCK);
        in_a_while(say, ends[0]);
        expect_of(ways[n].name, "bytes come", ways[n].ask(ends[1]), 1);
        expect_of(ways[n].name, "a byte", read(ends[1], text, 10), 1);
        wait4(-1, NULL, 0, NULL);
        in_a_while(stop, ends[0]);
        expect_of(ways[n].name, "the end comes", ways[n].ask(ends[1]), 1);
        expect_of(ways[n].name, "the end", read(ends[1], text, 10), 0);
        wait4(-1, NULL, 0, NULL);
        close_both(ends);
        close(listener);
}

void try_waits(void)
{
        int ends[2], listener = listen_at("waits", 4, O_NONBLOCK), fd = fresh(0);
        expect("listening: poll", polled(listener), 0);
        connect_to(fd, "waits");
        expect("somebody came: poll", polled(listener), IN);
        expect("connected: poll", polled(fd), POLLOUT);
        SYS(shutdown, listener, 2);
        expect("listener shut: poll", polled(listener), IN | POLLHUP | POLLRDHUP);
        close(fd);
        close(listener);
        unlink("waits");
        listener = meet("waits", ends, O_NONBLOCK);
        SYS(shutdown, ends[0], 1);
        expect("the end came: poll", polled(ends[1]), IN | POLLOUT | POLLRDHUP);
        expect("stopped sending: poll", polled(ends[0]), POLLOUT);
        close(ends[1]);
        expect("peer gone: poll", polled(ends[0]), IN | POLLOUT | POLLHUP | POLLRDHUP);
        close(ends[0]);
        close(listener);
        for (unsigned n = 0; n < WAYS; n++)
                wait_each(n);
}
