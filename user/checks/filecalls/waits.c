/* waits.c - poll(), ppoll(), select() and pselect6() on every kind of file: their immediate result
 * for one descriptor, before there is anything to read and after. */
#include "filecalls.h"

/* Two bits: readable, writable. */
static long by_poll(int fd)
{
        struct pollfd one = {fd, POLLIN | POLLOUT, 0};
        SYS(poll, &one, 1, 0);
        return (one.answer & POLLIN ? 1 : 0) | (one.answer & POLLOUT ? 2 : 0);
}

static long by_ppoll(int fd)
{
        struct pollfd one = {fd, POLLIN | POLLOUT, 0};
        struct timespec now = {0, 0};
        SYS(ppoll, &one, 1, &now, 0, 8);
        return (one.answer & POLLIN ? 1 : 0) | (one.answer & POLLOUT ? 2 : 0);
}

static long of_sets(const uint32_t in[32], const uint32_t out[32], int fd)
{
        return (in[fd / 32] >> fd % 32 & 1) | (out[fd / 32] >> fd % 32 & 1) << 1;
}

static long by_select(int fd)
{
        uint32_t in[32] = {0}, out[32] = {0};
        struct timespec now = {0, 0};
        in[fd / 32] = out[fd / 32] = 1u << fd % 32;
        SYS(select, fd + 1, in, out, 0, &now);
        return of_sets(in, out, fd);
}

static long by_pselect(int fd)
{
        uint32_t in[32] = {0}, out[32] = {0};
        struct timespec now = {0, 0};
        in[fd / 32] = out[fd / 32] = 1u << fd % 32;
        SYS(pselect6, fd + 1, in, out, 0, &now, 0);
        return of_sets(in, out, fd);
}

static void all_say(const char *kind, int fd, long wanted)
{
        static const struct {
                const char *name;
                long (*ask)(int fd);
        } ways[] = {{"poll", by_poll},
                    {"ppoll", by_ppoll},
                    {"select", by_select},
                    {"pselect6", by_pselect}};
        for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
                char name[48];
                snprintf(name, sizeof name, "%s of %s", ways[i].name, kind);
                expect(name, ways[i].ask(fd), wanted);
        }
}

static void of_path(const char *path, int flags)
{
        int fd = (int)open_at(path, flags);
        all_say(path, fd, 3);
        SYS(close, fd);
}

static void of_pipes(void)
{
        int ends[2];
        SYS(pipe, ends);
        all_say("an empty pipe", ends[0], 0);
        all_say("a pipe's other end", ends[1], 2);
        SYS(write, ends[1], "x", 1);
        all_say("a pipe with a byte", ends[0], 1);
        SYS(close, ends[0]);
        SYS(close, ends[1]);
        SYS(socketpair, AF_UNIX, SOCK_STREAM, 0, ends);
        all_say("a socket", ends[0], 2);
        SYS(write, ends[1], "x", 1);
        all_say("a socket with a byte", ends[0], 3);
        SYS(close, ends[0]);
        SYS(close, ends[1]);
}

static void of_ptys(void)
{
        char path[24];
        int no = 0, number = 0, master = (int)open_at("/dev/ptmx", O_RDWR);
        ioctl(master, TIOCSPTLCK, &no);
        ioctl(master, TIOCGPTN, &number);
        snprintf(path, sizeof path, "/dev/pts/%d", number);
        int slave = (int)open_at(path, O_RDWR | O_NOCTTY);
        all_say("a slave", slave, 2);
        all_say("a master", master, 2);
        SYS(write, master, "typed", 5);
        all_say("a slave with half a line", slave, 2);
        all_say("a master with an echo", master, 3);
        SYS(write, master, "\n", 1);
        all_say("a slave with a line", slave, 3);
        SYS(close, slave);
        SYS(close, master);
}

void try_waits(void)
{
        fill("waits", "x");
        of_path("/dev/null", O_RDWR);
        of_path("/dev/zero", O_RDWR);
        of_path("waits", O_RDWR);
        of_path(".", O_RDONLY);
        of_path("/proc/version", O_RDONLY);
        of_path("/proc/self/stat", O_RDONLY);
        of_pipes();
        of_ptys();
        SYS(unlink, "waits");
}
