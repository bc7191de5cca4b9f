/*
 * socket.c - pairs of stream sockets of one machine: socketpair(), shutdown(), and send and receive
 * beside write and read (unix(7)). What one side writes lies in a ring of a page until the other
 * reads it.
 */
#include "errno.h"
#include "file/file.h"
#include "file/poll.h"
#include "mem/heap.h"
#include "mem/user.h"
#include "proc/calls.h"
#include "uapi.h"

#define RING PAGE_SIZE
#define SOCKETS_MOST 1024 /* as many as pipes, each with a page */
#define NO_MORE_IN 1      /* of `shut`: reads find the end, writes nobody */
#define NO_MORE_OUT 2

struct socket {
        struct socket *peer; /* NULL: it has closed */
        uint8_t *ring;
        uint32_t in, out; /* bytes that ever came, and were read */
        unsigned shut;
        bool reset; /* the peer has closed before it read all, and nobody knows */
        struct waiters readers, writers;
};

static unsigned sockets;
static const struct file_kind socket_kind;

static size_t least(size_t a, size_t b)
{
        return a < b ? a : b;
}

static void wake_both(struct socket *socket)
{
        wake_all(&socket->readers);
        wake_all(&socket->writers);
}

/* --- bytes ------------------------------------------------------------------------------------ */

/* 0, or what a read answers that finds nothing. */
static long nothing_yet(struct file *file, struct socket *socket, unsigned flags)
{
        if (socket->reset) {
                socket->reset = false;
                return -ECONNRESET;
        }
        if (file->flags & O_NONBLOCK || flags & MSG_DONTWAIT)
                return -EAGAIN;
        return file_wait(file, &socket->readers) ? 0 : call_interrupted(ERESTARTSYS);
}

static long receive(struct file *file, uintptr_t to, size_t size, unsigned flags)
{
        struct socket *socket = file->data;
        size_t done = 0;
        while (done < size) {
                size_t at = socket->out % RING, count = socket->in - socket->out;
                if (!count) {
                        if (done && !(flags & MSG_WAITALL))
                                break;
                        if (socket->shut & NO_MORE_IN && !socket->reset)
                                break;
                        long error =
                                done && socket->reset ? -EAGAIN : nothing_yet(file, socket, flags);
                        if (error)
                                return done ? (long)done : error;
                        continue;
                }
                count = least(least(count, size - done), RING - at);
                if (user_write(to + done, socket->ring + at, count))
                        return done ? (long)done : -EFAULT;
                done += count;
                if (flags & MSG_PEEK)
                        break;
                socket->out += (uint32_t)count;
                if (socket->peer)
                        wake_all(&socket->peer->writers);
        }
        return (long)done;
}

static long broken(unsigned flags)
{
        return flags & MSG_NOSIGNAL ? -EPIPE : file_broken();
}

static long send(struct file *file, uintptr_t from, size_t size, unsigned flags)
{
        struct socket *socket = file->data;
        if (socket->shut & NO_MORE_OUT)
                return broken(flags);
        for (size_t done = 0; done < size;) {
                struct socket *peer = socket->peer;
                if (socket->shut & NO_MORE_OUT)
                        return done ? (long)done : broken(flags);
                size_t at = peer->in % RING, room = RING - (peer->in - peer->out);
                if (!room) {
                        if (file->flags & O_NONBLOCK || flags & MSG_DONTWAIT)
                                return done ? (long)done : -EAGAIN;
                        if (!file_wait(file, &socket->writers))
                                return done ? (long)done : call_interrupted(ERESTARTSYS);
                        continue;
                }
                size_t count = least(least(room, size - done), RING - at);
                if (user_read(peer->ring + at, from + done, count))
                        return done ? (long)done : -EFAULT;
                peer->in += (uint32_t)count;
                done += count;
                wake_all(&peer->readers);
        }
        return (long)size;
}

static long read(struct file *file, uintptr_t to, size_t size)
{
        return size ? receive(file, to, size, 0) : 0;
}

static long write(struct file *file, uintptr_t from, size_t size)
{
        return send(file, from, size, 0);
}

static unsigned poll(struct file *file, struct poll *poll)
{
        struct socket *socket = file->data;
        const struct socket *peer = socket->peer;
        bool room = !peer || peer->in - peer->out < RING;
        poll_on(poll, &socket->readers);
        poll_on(poll, &socket->writers);
        return (socket->in != socket->out || socket->shut & NO_MORE_IN ? POLL_READABLE : 0) |
               (room ? POLL_WRITABLE | POLLWRBAND : 0) | (socket->reset ? POLLERR : 0) |
               (socket->shut == (NO_MORE_IN | NO_MORE_OUT) ? POLLHUP : 0);
}

/* --- made and closed -------------------------------------------------------------------------- */

static void release(struct socket *socket)
{
        heap_free(socket->ring);
        heap_free(socket);
        sockets--;
}

static void close(struct file *file)
{
        struct socket *socket = file->data, *peer = socket->peer;
        if (peer) {
                peer->peer = NULL;
                peer->shut = NO_MORE_IN | NO_MORE_OUT;
                peer->reset = socket->in != socket->out;
                wake_both(peer);
        }
        release(socket);
}

static const struct file_kind socket_kind = {"socket",     .mode = S_IFSOCK | 0777,
                                             .read = read, .write = write,
                                             .poll = poll, .close = close};

static struct file *create(unsigned flags)
{
        struct socket *socket = heap_allocate(sizeof *socket);
        uint8_t *ring = socket ? heap_allocate(RING) : NULL;
        struct file *file = ring ? file_create(&socket_kind, NULL, O_RDWR | flags) : NULL;
        if (!file) {
                heap_free(ring);
                heap_free(socket);
                return NULL;
        }
        static uint32_t last_number;
        *socket = (struct socket){.ring = ring};
        sockets++;
        file->data = socket;
        file->number = ++last_number;
        return file;
}

static int create_pair(struct file *ends[2], unsigned flags)
{
        ends[0] = create(flags);
        ends[1] = ends[0] ? create(flags) : NULL;
        if (!ends[1]) {
                if (ends[0])
                        file_release(ends[0]);
                return -ENOMEM;
        }
        struct socket *one = ends[0]->data, *other = ends[1]->data;
        one->peer = other;
        other->peer = one;
        return 0;
}

long sys_socketpair(long domain, long type, long protocol, long to, AFTER_4)
{
        unsigned flags = (unsigned)type & ~(unsigned)SOCK_TYPES;
        struct file *ends[2];
        if (flags & ~(unsigned)(O_CLOEXEC | O_NONBLOCK))
                return -EINVAL;
        if ((int)domain != AF_UNIX)
                return -EAFNOSUPPORT;
        if ((int)protocol && (int)protocol != AF_UNIX)
                return -EPROTONOSUPPORT;
        if ((type & SOCK_TYPES) != SOCK_STREAM)
                return -ESOCKTNOSUPPORT;
        if (sockets + 2 > SOCKETS_MOST)
                return -ENFILE;
        int error = create_pair(ends, flags & O_NONBLOCK);
        return error ? error : descriptors_give(ends, (uintptr_t)to, flags & O_CLOEXEC);
}

/* --- the calls on one ------------------------------------------------------------------------- */

/* A socket, held, or NULL and -errno. */
static struct file *socket_of(long fd, int *error)
{
        struct file *file = file_of(fd);
        *error = !file ? -EBADF : file->kind != &socket_kind ? -ENOTSOCK : 0;
        if (*error)
                return NULL;
        file_hold(file);
        return file;
}

long sys_shutdown(long fd, long how, AFTER_2)
{
        int error;
        struct file *file = socket_of(fd, &error);
        if (!file)
                return error;
        struct socket *socket = file->data, *peer = socket->peer;
        unsigned mine = (unsigned)how + 1; /* SHUT_RD, SHUT_WR, SHUT_RDWR */
        if (mine - 1 > 2) {
                file_release(file);
                return -EINVAL;
        }
        socket->shut |= mine;
        wake_both(socket);
        if (peer) {
                peer->shut |= (mine & NO_MORE_IN ? NO_MORE_OUT : 0) |
                              (mine & NO_MORE_OUT ? NO_MORE_IN : 0);
                wake_both(peer);
        }
        file_release(file);
        return 0;
}

typedef long exchange(struct file *file, uintptr_t at, size_t size, unsigned flags);

static long transfer_with(long fd, long at, long size, long flags, unsigned known, exchange *act)
{
        int error;
        if (!user_inside((uintptr_t)at, (size_t)size))
                return -EFAULT;
        struct file *file = socket_of(fd, &error);
        if (!file)
                return error;
        size_t most = least((size_t)size, TRANSFER_MOST);
        long done = (unsigned)flags & ~known ? -EOPNOTSUPP
                                             : act(file, (uintptr_t)at, most, (unsigned)flags);
        file_release(file);
        return done;
}

/* A pair is connected: whoever says where to is wrong. */
long sys_sendto(long fd, long from, long size, long flags, long address, long length)
{
        const struct file *file = file_of(fd);
        if (file && file->kind == &socket_kind && address && length)
                return -EISCONN;
        return transfer_with(fd, from, size, flags, MSG_DONTWAIT | MSG_NOSIGNAL, send);
}

/* The other side has no name. */
long sys_recvfrom(long fd, long to, long size, long flags, long address, long length_at)
{
        const uint32_t none = 0;
        long done = transfer_with(fd, to, size, flags,
                                  MSG_DONTWAIT | MSG_NOSIGNAL | MSG_PEEK | MSG_WAITALL, receive);
        if (done >= 0 && address && user_put((uintptr_t)length_at, &none))
                return -EFAULT;
        return done;
}

/* 32-bit programs: which call it is, and its arguments in memory. */
long sys_socketcall(long which, long at, AFTER_2)
{
        static const struct {
                call *call;
                unsigned arguments;
        } calls[] = {
                [8] = {sys_socketpair, 4}, [9] = {sys_sendto, 4},    [10] = {sys_recvfrom, 4},
                [11] = {sys_sendto, 6},    [12] = {sys_recvfrom, 6}, [13] = {sys_shutdown, 2},
        };
        uintptr_t a[6] = {0};
        if ((unsigned)which < 1 || (unsigned)which > 20)
                return -EINVAL;
        if ((unsigned)which >= sizeof calls / sizeof *calls || !calls[which].call)
                return -ENOSYS;
        if (user_get_words(a, (uintptr_t)at, calls[which].arguments))
                return -EFAULT;
        return calls[which].call((int32_t)a[0], (long)a[1], (long)a[2], (long)a[3], (long)a[4],
                                 (long)a[5]);
}
