/* socket.c - stream sockets of one machine: socket(), socketpair(), shutdown(), send and receive,
 * write and read (unix(7)). Bytes that one side writes are kept in the other's pages until it reads
 * them. One page stays with the socket, the others are allocated and freed with the bytes. */
#include "file/socket.h"
#include "cpu/window.h"
#include "errno.h"
#include "file/file.h"
#include "file/poll.h"
#include "mem/heap.h"
#include "thread/user.h"
#include "calls.h"
#include "uapi.h"
#include "process/missing.h"

#define WINDOW (8 * PAGE_SIZE) /* bytes passed between two interrupt windows */
#define PAGES_MOST 1024        /* pages of all sockets, besides one for each: 4 MiB */

static unsigned sockets, pages;
static const struct file_kind socket_kind;

static size_t socket_least(size_t a, size_t b)
{
        return a < b ? a : b;
}

void socket_wake(struct socket *socket)
{
        wake_all(&socket->readers);
        wake_all(&socket->writers);
}

static uint8_t **page_of(struct socket *socket, uint32_t position)
{
        return &socket->pages[position / PAGE_SIZE % SOCKET_PAGES];
}

/* All allowed pages hold unread bytes. */
static bool is_full(const struct socket *socket)
{
        return socket->in - socket->out > (SOCKET_PAGES - 1) * PAGE_SIZE;
}

/* Gets a page for the next byte, at a page's start. False = the existing bytes must be read
 * first. */
static bool begin_page(struct socket *socket)
{
        uint8_t **page = page_of(socket, socket->in);
        if (is_full(socket))
                return false;
        if (*page) /* left by a failed send */
                return true;
        if (socket->spare) {
                *page = socket->spare;
                socket->spare = NULL;
                return true;
        }
        *page = pages < PAGES_MOST ? heap_take(PAGE_SIZE) : NULL;
        pages += *page != NULL;
        return *page;
}

static void free_page(uint8_t *page)
{
        heap_free(page);
        pages -= page != NULL;
}

/* The page has been read completely. */
static void end_page(struct socket *socket, uint8_t **page)
{
        if (socket->spare)
                free_page(*page);
        else
                socket->spare = *page;
        *page = NULL;
}

/* The socket is empty: the next byte starts a page. */
static void restart(struct socket *socket)
{
        uint8_t **page = page_of(socket, socket->out), *kept = *page;
        *page = NULL;
        socket->pages[0] = kept;
        socket->in = socket->out = 0;
}

static void free_pages(struct socket *socket)
{
        for (unsigned i = 0; i < SOCKET_PAGES; i++)
                if (socket->pages[i]) {
                        free_page(socket->pages[i]);
                        interrupt_window();
                }
        free_page(socket->spare);
        pages++; /* its permanent page is not counted */
}

/* The next byte has a page, or could get one. */
static bool has_room(const struct socket *socket)
{
        return socket->in % PAGE_SIZE ||
               (!is_full(socket) && (socket->spare || pages < PAGES_MOST));
}

/* Returns 0, or the result of a read without data. */
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

/* Reads the available bytes: -EFAULT if not one could be copied. */
static long socket_take(struct socket *socket, uintptr_t to, size_t size, bool peeks)
{
        uint32_t out = socket->out;
        size_t done = 0;
        while (done < size && out != socket->in) {
                size_t at = out % PAGE_SIZE;
                uint8_t **page = page_of(socket, out);
                size_t count =
                        socket_least(socket_least(socket->in - out, size - done), PAGE_SIZE - at);
                if (user_write_within(to + done, *page + at, count))
                        return done ? (long)done : -EFAULT;
                out += (uint32_t)count;
                done += count;
                if (peeks)
                        continue;
                socket->out = out;
                if (at + count == PAGE_SIZE)
                        end_page(socket, page);
                if (!(out % WINDOW))
                        interrupt_window();
        }
        if (socket->out == socket->in)
                restart(socket);
        return (long)done;
}

/* A receive of zero bytes still waits for data, as on Linux; a socket_read() of zero does not. */
long socket_receive(struct file *file, uintptr_t to, size_t size, unsigned flags)
{
        struct socket *socket = file->data;
        bool peeks = flags & MSG_PEEK;
        size_t done = 0;
        if (socket->state != SOCKET_CONNECTED)
                return -EINVAL;
        for (;;) {
                if (socket->in != socket->out) {
                        long part = socket_take(socket, to + done, size - done, peeks);
                        if (part < 0)
                                return done ? (long)done : part;
                        done += (size_t)part;
                        if (socket->peer)
                                wake_all(&socket->peer->writers);
                        if (done == size || peeks || !(flags & MSG_WAITALL))
                                return (long)done;
                } else if (socket->shut & NO_MORE_IN && !socket->reset) {
                        return (long)done;
                } else {
                        long error =
                                done && socket->reset ? -EAGAIN : nothing_yet(file, socket, flags);
                        if (error)
                                return done ? (long)done : error;
                }
        }
}

static long broken(unsigned flags)
{
        return flags & MSG_NOSIGNAL ? -EPIPE : file_broken();
}

long socket_may_send(const struct socket *socket, unsigned flags)
{
        if (socket->state != SOCKET_CONNECTED)
                return -ENOTCONN;
        return socket->shut & NO_MORE_OUT ? broken(flags) : 0;
}

/* Writes as many bytes as fit: -EFAULT if not one could be copied. */
static long socket_put(struct socket *socket, uintptr_t from, size_t size)
{
        size_t done = 0;
        while (done < size) {
                size_t at = socket->in % PAGE_SIZE;
                if (!at && !begin_page(socket))
                        break;
                size_t count = socket_least(size - done, PAGE_SIZE - at);
                if (user_read_within(*page_of(socket, socket->in) + at, from + done, count))
                        return done ? (long)done : -EFAULT;
                socket->in += (uint32_t)count;
                done += count;
                if (!(socket->in % WINDOW))
                        interrupt_window();
        }
        return (long)done;
}

long socket_send(struct file *file, uintptr_t from, size_t size, unsigned flags)
{
        struct socket *socket = file->data;
        long refused = socket_may_send(socket, flags);
        if (refused)
                return refused;
        for (size_t done = 0; done < size;) {
                struct socket *peer = socket->peer;
                if (socket->shut & NO_MORE_OUT)
                        return done ? (long)done : broken(flags);
                long part = socket_put(peer, from + done, size - done);
                if (part < 0)
                        return done ? (long)done : part;
                if (part) {
                        wake_all(&peer->readers);
                        done += (size_t)part;
                        continue;
                }
                if (file->flags & O_NONBLOCK || flags & MSG_DONTWAIT)
                        return done ? (long)done : -EAGAIN;
                if (!file_wait(file, &socket->writers))
                        return done ? (long)done : call_interrupted(ERESTARTSYS);
        }
        return (long)size;
}

static long socket_read(struct file *file, uintptr_t to, size_t size)
{
        return size ? socket_receive(file, to, size, 0) : 0;
}

static long socket_write(struct file *file, uintptr_t from, size_t size)
{
        return socket_send(file, from, size, 0);
}

static unsigned socket_poll(struct file *file, struct poll *poll)
{
        struct socket *socket = file->data;
        const struct socket *peer = socket->peer;
        bool listens = socket->state == SOCKET_LISTENING;
        bool more = listens ? socket->first != NULL : socket->in != socket->out;
        bool room = !listens && (!peer || has_room(peer));
        bool over = socket->shut == (NO_MORE_IN | NO_MORE_OUT) || socket->state == SOCKET_NEW;
        poll_on(poll, &socket->readers);
        poll_on(poll, &socket->writers);
        return (more || socket->shut & NO_MORE_IN ? POLL_READABLE : 0) |
               (room ? POLL_WRITABLE | POLLWRBAND : 0) | (socket->reset ? POLLERR : 0) |
               (socket->shut & NO_MORE_IN ? POLLRDHUP : 0) | (over ? POLLHUP : 0);
}

static long socket_waiting(const struct file *file)
{
        const struct socket *socket = file->data;
        return socket->state == SOCKET_LISTENING ? -EINVAL : (long)(socket->in - socket->out);
}

/* Tells the sockets connected to it. */
static void socket_leave(const struct socket *socket, bool unheard)
{
        struct socket *peer = socket->peer;
        if (!peer)
                return;
        peer->peer = NULL;
        peer->peer_name = socket_name_hold(socket->name);
        peer->shut = NO_MORE_IN | NO_MORE_OUT;
        peer->reset = unheard || socket->in != socket->out;
        socket_wake(peer);
}

/* Frees it. `unheard`: it was never accepted, and its peer is told so. */
static void socket_end(struct socket *socket, bool unheard)
{
        socket_unbind(socket);
        socket_leave(socket, unheard);
        for (struct socket *waiting = socket->first, *next; waiting; waiting = next) {
                interrupt_window();
                next = waiting->next;
                socket_end(waiting, true);
        }
        socket_wake(socket); /* wakes senders that wait for room in its queue */
        socket_name_release(socket->name);
        socket_name_release(socket->peer_name);
        free_pages(socket);
        heap_free(socket);
        sockets--;
}

static void close(struct file *file)
{
        socket_end(file->data, false);
}

static const struct file_kind socket_kind = {"socket",
                                             .mode = S_IFSOCK | 0777,
                                             .read = socket_read,
                                             .write = socket_write,
                                             .poll = socket_poll,
                                             .waiting = socket_waiting,
                                             .close = close};

struct socket *socket_create(int *error)
{
        *error = sockets >= SOCKETS_MOST ? -ENFILE : 0;
        if (*error)
                return NULL;
        struct socket *socket = heap_allocate(sizeof *socket);
        uint8_t *page = socket ? heap_take(PAGE_SIZE) : NULL;
        if (!page) {
                heap_free(socket);
                *error = -ENOMEM;
                return NULL;
        }
        *socket = (struct socket){.spare = page};
        sockets++;
        return socket;
}

struct file *socket_file(struct socket *socket, unsigned flags)
{
        static uint32_t last_number;
        struct file *file = file_create(&socket_kind, NULL, O_RDWR | flags);
        if (!file)
                return NULL;
        file->data = socket;
        file->number = ++last_number;
        return file;
}

/* A file for a new socket; NULL and -errno. */
static struct file *socket_open(unsigned flags, int *error)
{
        struct socket *socket = socket_create(error);
        struct file *file = socket ? socket_file(socket, flags) : NULL;
        if (socket && !file) {
                socket_end(socket, false);
                *error = -ENOMEM;
        }
        return file;
}

void socket_pair(struct socket *one, struct socket *other)
{
        one->peer = other;
        other->peer = one;
        one->state = other->state = SOCKET_CONNECTED;
}

static int create_pair(struct file *ends[2], unsigned flags)
{
        int error;
        ends[0] = socket_open(flags, &error);
        ends[1] = ends[0] ? socket_open(flags, &error) : NULL;
        if (!ends[1]) {
                if (ends[0])
                        file_release(ends[0]);
                return error;
        }
        struct socket *one = ends[0]->data, *other = ends[1]->data;
        one->peer_pid = other->peer_pid = cpu_current->pid;
        socket_pair(one, other);
        return 0;
}

/* The flags in a supported type, or -errno. */
static int check_type(long domain, long type, long protocol)
{
        unsigned flags = (unsigned)type & ~(unsigned)SOCK_TYPES;
        if (flags & ~(unsigned)(O_CLOEXEC | O_NONBLOCK))
                return -EINVAL;
        if ((int)domain != AF_UNIX)
                return (int)missing_request(MISSING_family, (uint32_t)domain, -EAFNOSUPPORT);
        if ((int)protocol && (int)protocol != AF_UNIX)
                return -EPROTONOSUPPORT;
        if ((type & SOCK_TYPES) == SOCK_STREAM)
                return (int)flags;
        if ((type & SOCK_TYPES) > SOCK_PACKET)
                return -EINVAL;
        return (int)missing_request(MISSING_style, type & SOCK_TYPES, -ESOCKTNOSUPPORT);
}

long sys_socket(long domain, long type, long protocol, AFTER_3)
{
        int error, flags = check_type(domain, type, protocol);
        if (flags < 0)
                return flags;
        struct file *file = socket_open((unsigned)flags & O_NONBLOCK, &error);
        if (!file)
                return error;
        return descriptor_give(file, flags & O_CLOEXEC);
}

long sys_socketpair(long domain, long type, long protocol, long to, AFTER_4)
{
        struct file *ends[2];
        int flags = check_type(domain, type, protocol);
        if (flags < 0)
                return flags;
        int error = create_pair(ends, (unsigned)flags & O_NONBLOCK);
        return error ? error : descriptors_give(ends, (uintptr_t)to, flags & O_CLOEXEC);
}

struct file *socket_of(long fd, int *error)
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
        socket_wake(socket);
        if (peer) {
                peer->shut |= (mine & NO_MORE_IN ? NO_MORE_OUT : 0) |
                              (mine & NO_MORE_OUT ? NO_MORE_IN : 0);
                socket_wake(peer);
        }
        file_release(file);
        return 0;
}

static long transfer_with(long fd, long at, long size, long flags, socket_exchange *act)
{
        int error;
        if (!user_inside((uintptr_t)at, (size_t)size))
                return -EFAULT;
        struct file *file = socket_of(fd, &error);
        if (!file)
                return error;
        size_t most = socket_least((size_t)size, TRANSFER_MOST);
        long done = flags & MSG_OOB ? missing_request(MISSING_message, MSG_OOB, -EOPNOTSUPP)
                                    : act(file, (uintptr_t)at, most, (unsigned)flags);
        file_release(file);
        return done;
}

/* A connected socket needs no destination; an unconnected one cannot send. */
long sys_sendto(long fd, long from, long size, long flags, long address, long length)
{
        const struct file *file = file_of(fd);
        if (file && file->kind == &socket_kind && address && length) {
                struct socket_address to;
                uint32_t room;
                int error = socket_address_read(&to, &room, (uintptr_t)address, length);
                const struct socket *socket = file->data;
                return error ? error : socket->state == SOCKET_CONNECTED ? -EISCONN : -EOPNOTSUPP;
        }
        return transfer_with(fd, from, size, flags, socket_send);
}

long sys_recvfrom(long fd, long to, long size, long flags, long address, long length_at)
{
        long done = transfer_with(fd, to, size, flags, socket_receive);
        const struct file *file = done >= 0 && address ? file_of(fd) : NULL;
        if (!file || file->kind != &socket_kind)
                return done;
        long error = socket_name_write(done ? socket_peer_name(file->data) : NULL, 0,
                                       (uintptr_t)address, (uintptr_t)length_at);
        return error ? error : done;
}
