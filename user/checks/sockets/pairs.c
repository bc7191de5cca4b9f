/* pairs.c - both ends in one process: bytes, closing, signals. */
#include "sockets.h"

static long make(int pair[2], int flags)
{
        return SYS(socketpair, AF_UNIX, SOCK_STREAM | flags, 0, pair);
}

static long send_to(int fd, const char *what, int flags)
{
        return SYS(sendto, fd, what, strlen(what), flags, 0, 0);
}

static long receive(int fd, size_t size, int flags)
{
        return SYS(recvfrom, fd, text, size, flags, 0, 0);
}

static void try_wrong_use(void)
{
        int pair[2], ends[2];
        expect("no such domain", SYS(socketpair, 77, SOCK_STREAM, 0, pair), -EAFNOSUPPORT);
        expect("no such type", SYS(socketpair, AF_UNIX, 9, 0, pair), -ESOCKTNOSUPPORT);
        expect("no such flags", SYS(socketpair, AF_UNIX, SOCK_STREAM | 0x100, 0, pair), -EINVAL);
        expect("no such protocol", SYS(socketpair, AF_UNIX, SOCK_STREAM, 7, pair),
               -EPROTONOSUPPORT);
        expect("to nowhere", SYS(socketpair, AF_UNIX, SOCK_STREAM, 0, 8), -EFAULT);
        pipe(ends);
        expect("shutdown of a pipe", SYS(shutdown, ends[0], 0), -ENOTSOCK);
        expect("sendto a pipe", send_to(ends[1], "x", 0), -ENOTSOCK);
        expect("recvfrom a pipe", receive(ends[0], 1, 0), -ENOTSOCK);
        expect("shutdown of nothing", SYS(shutdown, 63, 0), -EBADF);
        close_both(ends);
        make(pair, O_NONBLOCK | O_CLOEXEC);
        struct stat about;
        fstat(pair[0], &about);
        expect("a socket", about.mode & S_IFMT, S_IFSOCK);
        expect("O_CLOEXEC", SYS(fcntl, pair[1], F_GETFD), FD_CLOEXEC);
        expect("shutdown: no such way", SYS(shutdown, pair[0], 3), -EINVAL);
        expect("lseek", SYS(lseek, pair[0], 0, SEEK_SET), -ESPIPE);
        expect("pread64", SYS(pread64, pair[0], text, 1, 0, 0), -ESPIPE);
        expect("ioctl", ioctl(pair[0], TCGETS, text), -ENOTTY);
        expect("write from nowhere", write(pair[0], (void *)8, 4), -EFAULT);
        expect("an address", SYS(sendto, pair[0], "x", 1, 0, text, 16), -EISCONN);
        write(pair[0], "x", 1);
        expect("read to nowhere", read(pair[1], (void *)8, 4), -EFAULT);
        close_both(pair);
}

static void try_bytes(void)
{
        int pair[2];
        make(pair, O_NONBLOCK);
        expect("nothing", read(pair[0], text, 10), -EAGAIN);
        expect("write", write(pair[0], "hello", 5), 5);
        expect("write back", write(pair[1], "other", 5), 5);
        expect("a part", read(pair[1], text, 2), 2);
        expect("peek", receive(pair[1], 10, MSG_PEEK), 3);
        expect("the rest", receive(pair[1], 10, 0), 3);
        check(!memcmp(text, "llo", 3), "the rest", "in order");
        expect("the other way", read(pair[0], text, 10), 5);
        check(!memcmp(text, "other", 5), "the other way", "its own");
        expect("nothing of nothing", read(pair[0], text, 0), 0);
        long sent = 0, part;
        while ((part = write(pair[0], text, 1000)) > 0)
                sent += part;
        expect("full", part, -EAGAIN);
        expect("full: poll", polled(pair[0]) & POLLOUT, 0);
        while ((part = read(pair[1], text, sizeof text)) > 0)
                sent -= part;
        expect("all of it", sent, 0);
        expect("empty: poll", polled(pair[0]), POLLOUT);
        SYS(fcntl, pair[0], F_SETFL, 0);
        expect("MSG_DONTWAIT", receive(pair[0], 1, MSG_DONTWAIT), -EAGAIN);
        long pid = fork();
        if (!pid) {
                sleep_ms(20);
                write(pair[1], "late", 4);
                exit_group(0);
        }
        expect("woken", read(pair[0], text, 10), 4);
        wait4(pid, NULL, 0, NULL);
        close_both(pair);
}

static void try_closing(void)
{
        int pair[2];
        signal_set(SIGPIPE, SIG_IGN);
        make(pair, O_NONBLOCK);
        write(pair[0], "last", 4);
        expect("half-close", SYS(shutdown, pair[0], 1), 0);
        expect("half-close: write", write(pair[0], "x", 1), -EPIPE);
        expect("half-close: what is left", read(pair[1], text, 10), 4);
        expect("half-close: the end", read(pair[1], text, 10), 0);
        expect("half-close: the other way", write(pair[1], "back", 4), 4);
        expect("half-close: is read", read(pair[0], text, 10), 4);
        expect("half-close: poll", polled(pair[1]) & (POLLIN | POLLHUP), POLLIN);
        expect("shut both ways", SYS(shutdown, pair[0], 2), 0);
        expect("shut: poll", polled(pair[1]) & (POLLIN | POLLHUP), POLLIN | POLLHUP);
        close_both(pair);
        make(pair, O_NONBLOCK);
        write(pair[0], "left", 4);
        close(pair[0]);
        expect("closed: what is left", read(pair[1], text, 10), 4);
        expect("closed: the end", read(pair[1], text, 10), 0);
        expect("closed: write", write(pair[1], "x", 1), -EPIPE);
        expect("closed: MSG_NOSIGNAL", send_to(pair[1], "x", MSG_NOSIGNAL), -EPIPE);
        close(pair[1]);
        make(pair, O_NONBLOCK);
        write(pair[0], "unread", 6);
        close(pair[1]);
        expect("closed before it was read", read(pair[0], text, 10), -ECONNRESET);
        expect("closed before it was read, then", read(pair[0], text, 10), 0);
        close(pair[0]);
}

static void try_signal(void)
{
        int pair[2], status = 0;
        make(pair, 0);
        long pid = fork();
        if (!pid) {
                signal_set(SIGPIPE, SIG_DFL);
                SYS(shutdown, pair[0], 2);
                write(pair[0], "x", 1);
                exit_group(0);
        }
        wait4(pid, &status, 0, NULL);
        expect("SIGPIPE", status & 0x7f, SIGPIPE);
        close_both(pair);
        make(pair, 0);
        pid = fork();
        if (!pid) { /* the end closes while it sleeps */
                close(pair[1]);
                exit_group((int)read(pair[0], text, 10));
        }
        until_asleep(pid);
        close_both(pair);
        wait4(pid, &status, 0, NULL);
        expect("closed under a read", status, 0);
}

void try_often(unsigned rounds)
{
        bool well = true;
        int pair[2];
        for (unsigned i = 0; i < rounds && well; i++) {
                well = !make(pair, 0) && write(pair[0], "x", 1) == 1;
                close_both(pair);
        }
        check(well, "opened often", "%u times", rounds);
}

void try_pairs(void)
{
        try_wrong_use();
        try_bytes();
        try_closing();
        try_signal();
}
