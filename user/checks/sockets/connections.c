/* connections.c - listening, connecting, accepting, and closing. */
#include "sockets.h"

#define HEAD (long)offsetof(struct address, path)

static void close_three(int a, int b, int c)
{
        close(a);
        close(b);
        close(c);
}

static void try_unconnected(void)
{
        int fd = fresh(O_NONBLOCK | O_CLOEXEC), ends[2];
        expect("new: O_CLOEXEC", SYS(fcntl, fd, F_GETFD), FD_CLOEXEC);
        expect("new: read", read(fd, text, 1), -EINVAL);
        expect("new: read of nothing", read(fd, text, 0), 0);
        expect("new: recvfrom", SYS(recvfrom, fd, text, 1, 0, 0, 0), -EINVAL);
        expect("new: write", write(fd, "x", 1), -ENOTCONN);
        expect("new: sendto", SYS(sendto, fd, "x", 1, 0, text, 16), -EOPNOTSUPP);
        expect("new: poll", polled(fd), POLLOUT | POLLHUP);
        expect("new: listen", SYS(listen, fd, 1), -EINVAL);
        expect("new: accept", accept_from(fd, 0), -EINVAL);
        expect("new: shutdown", SYS(shutdown, fd, 2), 0);
        close(fd);
        SYS(socketpair, AF_UNIX, SOCK_STREAM, 0, ends);
        expect("connected: listen", SYS(listen, ends[0], 1), -EINVAL);
        expect("connected: bind", bind_to(ends[0], "late"), 0);
        expect("connected: accept", accept_from(ends[0], 0), -EINVAL);
        unlink("late");
        pipe(ends);
        expect("listen to a pipe", SYS(listen, ends[0], 1), -ENOTSOCK);
        expect("connect a pipe", connect_to(ends[0], "late"), -ENOTSOCK);
        expect("accept from a pipe", accept_from(ends[0], 0), -ENOTSOCK);
        for (fd = 3; fd < 10; fd++)
                close(fd);
        expect("no such domain", SYS(socket, 77, SOCK_STREAM, 0), -EAFNOSUPPORT);
        expect("no such flags", SYS(socket, AF_UNIX, SOCK_STREAM | 0x100, 0), -EINVAL);
        expect("no such protocol", SYS(socket, AF_UNIX, SOCK_STREAM, 7), -EPROTONOSUPPORT);
}

static void try_refused(void)
{
        int fd = fresh(O_NONBLOCK), bound = fresh(O_NONBLOCK);
        close((int)open("file", O_CREAT | O_RDWR, 0644));
        expect("connect: nothing there", connect_to(fd, "none"), -ENOENT);
        expect("connect: a file", connect_to(fd, "file"), -ECONNREFUSED);
        expect("connect: a directory", connect_to(fd, "."), -ECONNREFUSED);
        bind_to(bound, "bound");
        expect("connect: it does not listen", connect_to(fd, "bound"), -ECONNREFUSED);
        SYS(listen, bound, 1);
        expect("connect: to itself", connect_to(bound, "bound"), -EINVAL);
        expect("connect: a slash behind it", connect_to(fd, "bound/"), -ENOTDIR);
        rename("bound", "other");
        expect("connect: by the old name", connect_to(fd, "bound"), -ENOENT);
        expect("connect: by the new one", connect_to(fd, "other"), 0);
        expect("connect: again", connect_to(fd, "other"), -EISCONN);
        close(fd);
        close(bound);
        fd = fresh(0);
        expect("connect: nobody has it any more", connect_to(fd, "other"), -ECONNREFUSED);
        close(fd);
        unlink("other");
        unlink("file");
}

/* Both sides' names, for clients with and without one. */
static void try_peers(void)
{
        struct address address;
        int listener = listen_at("server", 5, 0), nameless = fresh(0), named = fresh(0);
        uint32_t length = sizeof address;
        bind_to(named, "client");
        connect_to(nameless, "server");
        connect_to(named, "server");
        int first = (int)SYS(accept4, listener, &address, &length, O_NONBLOCK | O_CLOEXEC);
        expect("accept: nameless", length, HEAD);
        expect("accept: family", address.family, AF_UNIX);
        expect("accept: O_CLOEXEC", SYS(fcntl, first, F_GETFD), FD_CLOEXEC);
        expect("accept: O_NONBLOCK", read(first, text, 1), -EAGAIN);
        length = sizeof address;
        int second = (int)SYS(accept4, listener, &address, &length, 0);
        expect("accept: named", length, HEAD + 7);
        check(!strcmp(address.path, "client"), "accept: named", "%s", address.path);
        length = sizeof address;
        SYS(getsockname, second, &address, &length);
        expect("the accepted one's name", length, HEAD + 7);
        check(!strcmp(address.path, "server"), "the accepted one's name", "%s", address.path);
        write(second, "x", 1);
        length = sizeof address;
        expect("recvfrom", SYS(recvfrom, named, text, 9, 0, &address, &length), 1);
        expect("recvfrom: whose", length, HEAD + 7);
        close(named);
        length = sizeof address;
        expect("a peer that is gone", SYS(getpeername, second, &address, &length), 0);
        expect("a peer that is gone: its name", length, HEAD + 7);
        length = sizeof address;
        expect("recvfrom: the end", SYS(recvfrom, second, text, 9, 0, &address, &length), 0);
        expect("recvfrom: nobody's", length, 0);
        close(second);
        connect_to(named = fresh(0), "server");
        length = sizeof address;
        expect("accept: to nowhere", SYS(accept4, listener, 8, &length, 0), -EFAULT);
        expect("accept: to nowhere: closed", read(named, text, 1), 0);
        expect("accept: no such flags", accept_from(listener, 77), -EINVAL);
        close_three(first, named, nameless);
        close(listener);
        unlink("server");
        unlink("client");
}

void try_connections(void)
{
        try_unconnected();
        try_refused();
        try_peers();
        int ends[2], listener = meet("met", ends, 0);
        write(ends[0], "there", 5);
        expect("there", read(ends[1], text, 10), 5);
        write(ends[1], "back", 4);
        expect("back", read(ends[0], text, 10), 4);
        expect("listening: read", read(listener, text, 1), -EINVAL);
        expect("listening: write", write(listener, "x", 1), -ENOTCONN);
        close_three(listener, ends[0], ends[1]);
}

void try_backlog(void)
{
        int listener = listen_at("full", 0, O_NONBLOCK), fds[4], status = 0;
        expect("accept: nobody", accept_from(listener, 0), -EAGAIN);
        for (int i = 0; i < 4; i++)
                fds[i] = fresh(O_NONBLOCK);
        expect("backlog 0: the first", connect_to(fds[0], "full"), 0);
        expect("backlog 0: the second", connect_to(fds[1], "full"), -EAGAIN);
        expect("written before it is accepted", write(fds[0], "early", 5), 5);
        SYS(listen, listener, 1);
        expect("backlog 1: the second", connect_to(fds[1], "full"), 0);
        expect("backlog 1: the third", connect_to(fds[2], "full"), -EAGAIN);
        long pid = fork();
        if (!pid) {
                SYS(fcntl, fds[3], F_SETFL, 0);
                exit_group(connect_to(fds[3], "full") ? 1 : 0);
        }
        sleep_ms(20);
        int first = (int)accept_from(listener, 0);
        expect("the first is accepted first", read(first, text, 10), 5);
        wait4(pid, &status, 0, NULL);
        expect("who waits is let in", status, 0);
        pid = fork();
        if (!pid) { /* the listener is closed while it waits */
                close(listener);
                SYS(fcntl, fds[2], F_SETFL, 0);
                exit_group(connect_to(fds[2], "full") == -ECONNREFUSED ? 0 : 1);
        }
        sleep_ms(20);
        close(listener);
        wait4(pid, &status, 0, NULL);
        expect("who waits is refused at its end", status, 0);
        for (int i = 0; i < 4; i++)
                close(fds[i]);
        close(first);
        unlink("full");
}

void try_ends(void)
{
        int ends[2], listener = meet("ends", ends, O_NONBLOCK), status = 0;
        expect("half-close", SYS(shutdown, ends[0], 1), 0);
        expect("half-close: the end", read(ends[1], text, 10), 0);
        expect("half-close: the other way", write(ends[1], "x", 1), 1);
        close(ends[0]);
        expect("SIGPIPE is ignored", write(ends[1], "x", 1), -EPIPE);
        close(ends[1]);
        close(listener);
        listener = listen_at("ends", 2, 0);
        connect_to(ends[0] = fresh(O_NONBLOCK), "ends");
        connect_to(ends[1] = fresh(0), "ends");
        write(ends[1], "last words", 10);
        close(ends[1]);
        close((int)accept_from(listener, 0));
        expect("accepted and closed: read", read(ends[0], text, 10), 0);
        ends[1] = (int)accept_from(listener, 0);
        expect("closed before it was accepted", read(ends[1], text, 10), 10);
        expect("closed before it was accepted: the end", read(ends[1], text, 10), 0);
        close_three(listener, ends[0], ends[1]);
        unlink("ends");
        listener = listen_at("ends", 2, 0);
        connect_to(ends[0] = fresh(O_NONBLOCK), "ends");
        expect("shutdown of a listener", SYS(shutdown, listener, 2), 0);
        expect("shut: connect", connect_to(ends[1] = fresh(0), "ends"), -ECONNREFUSED);
        close((int)accept_from(listener, 0));
        expect("shut: accept", accept_from(listener, 0), -EINVAL);
        close_three(listener, ends[0], ends[1]);
        unlink("ends");
        listener = listen_at("ends", 2, 0);
        connect_to(ends[0] = fresh(O_NONBLOCK), "ends");
        close(listener);
        expect("never accepted: poll", polled(ends[0]) & (POLLERR | POLLHUP), POLLERR | POLLHUP);
        expect("never accepted", read(ends[0], text, 1), -ECONNRESET);
        expect("never accepted: then", read(ends[0], text, 1), 0);
        close(ends[0]);
        unlink("ends");
        listener = listen_at("ends", 2, 0);
        long pid = fork();
        if (!pid) {
                connect_to(ends[0] = fresh(0), "ends");
                signal_set(SIGPIPE, SIG_DFL);
                SYS(shutdown, ends[0], 1);
                SYS(sendto, ends[0], "x", 1, MSG_NOSIGNAL, 0, 0);
                write(ends[0], "x", 1);
                exit_group(0);
        }
        close((int)accept_from(listener, 0));
        wait4(pid, &status, 0, NULL);
        expect("SIGPIPE by path", status & 0x7f, SIGPIPE);
        close(listener);
        unlink("ends");
}
