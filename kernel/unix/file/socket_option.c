/* socket_option.c - getsockopt() and setsockopt(), and socketcall(), which older 32-bit programs
 * use for all socket calls. */
#include "errno.h"
#include "file/file.h"
#include "file/socket.h"
#include "thread/user.h"
#include "calls.h"
#include "process/missing.h"

/* struct ucred: the process at the other end at the time of connection. Every process is root's. */
struct credentials {
        uint32_t pid, uid, gid;
};

static long write_option(const void *value, uint32_t size, uintptr_t to, uintptr_t length_at)
{
        int32_t room;
        if (user_get(&room, length_at))
                return -EFAULT;
        if (room < 0)
                return -EINVAL;
        size = (uint32_t)room < size ? (uint32_t)room : size;
        return user_write(to, value, size) || user_put(length_at, &size) ? -EFAULT : 0;
}

/* An error is reported once. */
static int take_error(struct socket *socket)
{
        int error = socket->reset ? ECONNRESET : 0;
        socket->reset = false;
        return error;
}

static long get_option(struct socket *socket, long option, uintptr_t to, uintptr_t length_at)
{
        struct credentials peer = {socket->peer_pid, 0, 0};
        int32_t value;
        switch ((int)option) {
        case SO_TYPE: value = SOCK_STREAM; break;
        case SO_DOMAIN: value = AF_UNIX; break;
        case SO_ACCEPTCONN: value = socket->state == SOCKET_LISTENING; break;
        case SO_ERROR: value = take_error(socket); break;
        case SO_SNDBUF:
        case SO_RCVBUF: value = SOCKET_PAGES * PAGE_SIZE; break;
        case SO_REUSEADDR: value = socket->reuses; break;
        case SO_KEEPALIVE: value = socket->keeps_alive; break;
        case SO_PROTOCOL:
        case SO_PASSCRED: value = 0; break;
        case SO_PEERCRED:
                if (!peer.pid)
                        peer.uid = peer.gid = UINT32_MAX;
                return write_option(&peer, sizeof peer, to, length_at);
        default: return missing_request(MISSING_option, (uint32_t)option, -ENOPROTOOPT);
        }
        return write_option(&value, sizeof value, to, length_at);
}

long sys_getsockopt(long fd, long level, long option, long to, long length_at, AFTER_5)
{
        int error;
        struct file *file = socket_of(fd, &error);
        if (!file)
                return error;
        long result = (int)level == SOL_SOCKET
                              ? get_option(file->data, option, (uintptr_t)to, (uintptr_t)length_at)
                              : -EOPNOTSUPP;
        file_release(file);
        return result;
}

/* A size is a hint and ignored. Two options are stored as on Linux, though they mean nothing
 * between sockets of one machine. */
static long set_option(struct socket *socket, long option, uintptr_t from, long length)
{
        int32_t value;
        if ((uint32_t)length < sizeof value)
                return -EINVAL;
        if (user_get(&value, from))
                return -EFAULT;
        switch ((int)option) {
        case SO_SNDBUF:
        case SO_RCVBUF:
        case SO_REUSEADDR:
        case SO_KEEPALIVE: break;
        default: return missing_request(MISSING_option, (uint32_t)option, -ENOPROTOOPT);
        }
        if (option == SO_REUSEADDR)
                socket->reuses = value != 0;
        else if (option == SO_KEEPALIVE)
                socket->keeps_alive = value != 0;
        return 0;
}

long sys_setsockopt(long fd, long level, long option, long from, long length, AFTER_5)
{
        int error;
        struct file *file = socket_of(fd, &error);
        if (!file)
                return error;
        long result = (int)level != SOL_SOCKET ? -EOPNOTSUPP
                      : (int)length < 0        ? -EINVAL
                                        : set_option(file->data, option, (uintptr_t)from, length);
        file_release(file);
        return result;
}

/* The call's number, and the address of its arguments. */
long sys_socketcall(long which, long at, AFTER_2)
{
        static const struct {
                call *call;
                unsigned arguments;
        } calls[] = {
                [1] = {sys_socket, 3},      [2] = {sys_bind, 3},        [3] = {sys_connect, 3},
                [4] = {sys_listen, 2},      [5] = {sys_accept, 3},      [6] = {sys_getsockname, 3},
                [7] = {sys_getpeername, 3}, [8] = {sys_socketpair, 4},  [9] = {sys_sendto, 4},
                [10] = {sys_recvfrom, 4},   [11] = {sys_sendto, 6},     [12] = {sys_recvfrom, 6},
                [13] = {sys_shutdown, 2},   [14] = {sys_setsockopt, 5}, [15] = {sys_getsockopt, 5},
                [16] = {sys_sendmsg, 3},    [17] = {sys_recvmsg, 3},    [18] = {sys_accept4, 4},
        };
        uintptr_t a[6] = {0};
        unsigned n = (unsigned)which;
        if (n < 1 || n > 20)
                return -EINVAL;
        if (n >= sizeof calls / sizeof *calls)
                return missing_request(MISSING_socketcall, n, -ENOSYS);
        if (user_get_words(a, (uintptr_t)at, calls[n].arguments))
                return -EFAULT;
        return calls[n].call((int32_t)a[0], (long)a[1], (long)a[2], (long)a[3], (long)a[4],
                             (long)a[5]);
}
