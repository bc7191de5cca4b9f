/* options.c - socket options, and the combined call of older 32-bit programs. */
#include "sockets.h"

static int value;

static long ask(int fd, int option)
{
        uint32_t length = sizeof value;
        return SYS(getsockopt, fd, SOL_SOCKET, option, &value, &length);
}

static void expect_option(const char *name, int fd, int option, int wanted)
{
        long error = ask(fd, option);
        check(!error && value == wanted, name, "%ld, %d, not %d", error, value, wanted);
}

void try_options(void)
{
        int ends[2], listener = meet("options", ends, O_NONBLOCK), on = 1;
        uint32_t length = 2, credentials[3] = {0};
        expect_option("SO_TYPE", ends[0], SO_TYPE, SOCK_STREAM);
        expect_option("SO_DOMAIN", ends[0], SO_DOMAIN, AF_UNIX);
        expect_option("SO_PROTOCOL", ends[0], SO_PROTOCOL, 0);
        expect_option("SO_ACCEPTCONN", listener, SO_ACCEPTCONN, 1);
        expect_option("SO_ACCEPTCONN: not", ends[0], SO_ACCEPTCONN, 0);
        expect_option("SO_REUSEADDR", listener, SO_REUSEADDR, 0);
        expect("SO_REUSEADDR: set", SYS(setsockopt, listener, SOL_SOCKET, SO_REUSEADDR, &on, 4), 0);
        expect_option("SO_REUSEADDR: is set", listener, SO_REUSEADDR, 1);
        expect("SO_SNDBUF", ask(ends[0], SO_SNDBUF) || value < 4096, 0);
        value = 0x5555;
        expect("little room", SYS(getsockopt, ends[0], SOL_SOCKET, SO_TYPE, &value, &length), 0);
        expect("little room: cut", value, 1);
        expect("little room: told", length, 2);
        length = (uint32_t)-1;
        expect("less than no room", SYS(getsockopt, ends[0], SOL_SOCKET, SO_TYPE, &value, &length),
               -EINVAL);
        expect("no such option", ask(ends[0], 9999), -ENOPROTOOPT);
        expect("no such option to set", SYS(setsockopt, ends[0], SOL_SOCKET, 9999, &on, 4),
               -ENOPROTOOPT);
        expect("another level", SYS(getsockopt, ends[0], 6, 1, &value, &length), -EOPNOTSUPP);
        expect("another level to set", SYS(setsockopt, ends[0], 6, 1, &on, 4), -EOPNOTSUPP);
        expect("half a value", SYS(setsockopt, ends[0], SOL_SOCKET, SO_REUSEADDR, &on, 2), -EINVAL);
        expect("from nowhere", SYS(setsockopt, ends[0], SOL_SOCKET, SO_REUSEADDR, 8, 4), -EFAULT);
        length = sizeof credentials;
        expect("SO_PEERCRED",
               SYS(getsockopt, ends[1], SOL_SOCKET, SO_PEERCRED, credentials, &length), 0);
        expect("SO_PEERCRED: who", credentials[0], getpid());
        write(ends[0], "x", 1);
        close(ends[1]);
        expect_option("SO_ERROR", ends[0], SO_ERROR, ECONNRESET);
        expect_option("SO_ERROR: once", ends[0], SO_ERROR, 0);
        close(ends[0]);
        close(listener);
}

static long through(int which, long a, long b, long c, long d)
{
        long arguments[6] = {a, b, c, d, 0, 0};
        return SYS(socketcall, which, arguments);
}

/* Only 32-bit programs have it. */
void try_socketcall(void)
{
        struct address address;
        uint32_t length = address_of(&address, "called"), out = sizeof address;
        if (NUMBER_socketcall < 0)
                return;
        long listener = through(1, AF_UNIX, SOCK_STREAM, 0, 0), fd = through(1, AF_UNIX, 1, 0, 0);
        expect("socketcall: bind", through(2, listener, (long)(uintptr_t)&address, length, 0), 0);
        expect("socketcall: listen", through(4, listener, 1, 0, 0), 0);
        expect("socketcall: connect", through(3, fd, (long)(uintptr_t)&address, length, 0), 0);
        long other = through(5, listener, 0, 0, 0);
        expect("socketcall: getpeername",
               through(7, fd, (long)(uintptr_t)&address, (long)(uintptr_t)&out, 0), 0);
        expect("socketcall: send", through(9, fd, (long)(uintptr_t) "call", 4, 0), 4);
        expect("socketcall: recv", through(10, other, (long)(uintptr_t)text, 10, 0), 4);
        expect("socketcall: shutdown", through(13, fd, 1, 0, 0), 0);
        expect("socketcall: the end", through(10, other, (long)(uintptr_t)text, 10, 0), 0);
        expect("socketcall: no such", through(21, 0, 0, 0, 0), -EINVAL);
        expect("socketcall: none", through(0, 0, 0, 0, 0), -EINVAL);
        expect("socketcall: from nowhere", SYS(socketcall, 1, 8), -EFAULT);
        close((int)listener);
        close((int)fd);
        close((int)other);
        unlink("called");
}
