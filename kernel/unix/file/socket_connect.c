/* socket_connect.c - listening sockets, and connections to them. connect() creates the other side
 * at once, so the caller may send. That side waits in the listener's queue until accept(). */
#include "errno.h"
#include "file/file.h"
#include "file/socket.h"
#include "lib/string.h"
#include "mem/heap.h"
#include "calls.h"

#define BACKLOG_MOST 4096 /* Linux's net.core.somaxconn */

static long listen(struct socket *socket, unsigned backlog)
{
        if (!socket->name || socket->state == SOCKET_CONNECTED)
                return -EINVAL;
        socket->state = SOCKET_LISTENING;
        socket->backlog = backlog < BACKLOG_MOST ? backlog : BACKLOG_MOST;
        socket->peer_pid = cpu_current->pid;
        wake_all(&socket->writers);
        return 0;
}

long sys_listen(long fd, long backlog, AFTER_2)
{
        int error;
        struct file *file = socket_of(fd, &error);
        if (!file)
                return error;
        long result = listen(file->data, (unsigned)backlog);
        file_release(file);
        return result;
}

/* A listener with room in its queue, to be used without sleeping; or -errno. */
static long find_listener(struct file *file, const struct socket_address *address, uint32_t size,
                          struct socket **found)
{
        for (;;) {
                long error = socket_find(address, size, found);
                struct socket *listener = *found;
                if (error)
                        return error;
                if (listener->state != SOCKET_LISTENING || listener->shut & NO_MORE_IN)
                        return -ECONNREFUSED;
                if (listener->waiting <= listener->backlog)
                        return 0;
                if (file->flags & O_NONBLOCK)
                        return -EAGAIN;
                if (!file_wait(file, &listener->writers))
                        return call_interrupted(ERESTARTSYS);
        }
}

/* Appends to the queue. */
static void queue(struct socket *listener, struct socket *socket)
{
        struct socket **link = &listener->first;
        while (*link)
                link = &(*link)->next;
        *link = socket;
        listener->waiting++;
        socket_wake(listener);
}

static long connect(struct file *file, const struct socket_address *address, uint32_t size)
{
        struct socket *socket = file->data, *listener;
        long result = find_listener(file, address, size, &listener);
        if (result)
                return result;
        if (socket->state != SOCKET_NEW)
                return socket->state == SOCKET_CONNECTED ? -EISCONN : -EINVAL;
        int error;
        struct socket *other = socket_create(&error);
        if (!other)
                return error;
        other->name = socket_name_hold(listener->name);
        other->peer_pid = cpu_current->pid;
        socket->peer_pid = listener->peer_pid;
        socket_pair(socket, other);
        queue(listener, other);
        return 0;
}

long sys_connect(long fd, long at, long length, AFTER_3)
{
        struct socket_address address;
        uint32_t size;
        int error;
        struct file *file = socket_of(fd, &error);
        if (!file)
                return error;
        long result = socket_address_read(&address, &size, (uintptr_t)at, length);
        if (!result)
                result = socket_address_check(&address, size);
        if (!result)
                result = connect(file, &address, size);
        file_release(file);
        return result;
}

/* Sleeps until a connection is in the queue. 0 or -errno. */
static long wait_for_one(struct file *file, struct socket *listener)
{
        if (listener->state != SOCKET_LISTENING)
                return -EINVAL;
        while (!listener->first) {
                if (listener->shut & NO_MORE_IN)
                        return -EINVAL;
                if (file->flags & O_NONBLOCK)
                        return -EAGAIN;
                if (!file_wait(file, &listener->readers))
                        return call_interrupted(ERESTARTSYS);
        }
        return 0;
}

/* Gives the first of the queue a descriptor; or -errno, and it stays queued. */
static long take_first(struct socket *listener, unsigned flags)
{
        struct socket *socket = listener->first;
        struct file *file = socket_file(socket, flags & O_NONBLOCK);
        if (!file)
                return -ENOMEM;
        int descriptor = descriptor_add(file, 0, flags & O_CLOEXEC);
        if (descriptor < 0) {
                heap_free(file);
                return descriptor;
        }
        listener->first = socket->next;
        socket->next = NULL;
        listener->waiting--;
        wake_all(&listener->writers);
        return descriptor;
}

static long accept(struct file *file, unsigned flags, uintptr_t to, uintptr_t length_at)
{
        long fd = wait_for_one(file, file->data);
        if (!fd)
                fd = take_first(file->data, flags);
        if (fd < 0 || !to)
                return fd;
        long error = socket_name_write(socket_peer_name(file_of(fd)->data), sizeof(uint16_t), to,
                                       length_at);
        if (error)
                sys_close(fd, 0, 0, 0, 0, 0);
        return error ? error : fd;
}

long sys_accept4(long fd, long to, long length_at, long flags, AFTER_4)
{
        int error;
        if ((unsigned)flags & ~(unsigned)(O_CLOEXEC | O_NONBLOCK))
                return -EINVAL;
        struct file *file = socket_of(fd, &error);
        if (!file)
                return error;
        long result = accept(file, (unsigned)flags, (uintptr_t)to, (uintptr_t)length_at);
        file_release(file);
        return result;
}

long sys_accept(long fd, long to, long length_at, AFTER_3)
{
        return sys_accept4(fd, to, length_at, 0, 0, 0);
}
