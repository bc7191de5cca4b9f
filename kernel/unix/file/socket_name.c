/* socket_name.c - names of sockets (unix(7)): a path in the tree; an abstract name, which begins
 * with a 0 and ends with its socket; or one chosen by the kernel. */
#include "cpu/window.h"
#include "errno.h"
#include "file/file.h"
#include "file/fs.h"
#include "file/path.h"
#include "file/socket.h"
#include "lib/printf.h"
#include "lib/string.h"
#include "mem/heap.h"
#include "thread/user.h"
#include "calls.h"
#include "process/task.h"

#define HEAD offsetof(struct socket_address, path)
#define ADDRESS_MOST 128 /* struct sockaddr_storage: Linux refuses longer ones */

static struct socket *first_bound; /* list of all with names */

int socket_address_read(struct socket_address *address, uint32_t *size, uintptr_t from, long length)
{
        size_t most = HEAD + SOCKET_PATH_MAX;
        *address = (struct socket_address){0};
        *size = (uint32_t)length;
        if (*size > ADDRESS_MOST)
                return -EINVAL;
        return user_read(address, from, *size < most ? *size : most);
}

int socket_address_check(const struct socket_address *address, uint32_t size)
{
        return size > HEAD && size <= HEAD + SOCKET_PATH_MAX && address->family == AF_UNIX
                       ? 0
                       : -EINVAL;
}

static struct socket_name *make_name(const struct socket_address *address, uint32_t length)
{
        struct socket_name *name = heap_allocate(sizeof *name);
        if (name)
                *name = (struct socket_name){.users = 1, .length = length, .address = *address};
        return name;
}

struct socket_name *socket_name_hold(struct socket_name *name)
{
        if (name)
                name->users++;
        return name;
}

void socket_name_release(struct socket_name *name)
{
        if (name && !--name->users)
                heap_free(name);
}

const struct socket_name *socket_peer_name(const struct socket *socket)
{
        return socket->peer ? socket->peer->name : socket->peer_name;
}

static struct socket *find_abstract(const struct socket_address *address, uint32_t length)
{
        struct socket *socket = first_bound;
        while (socket && (socket->node || socket->name->length != length ||
                          memcmp(socket->name->address.path, address->path, length - HEAD))) {
                interrupt_window();
                socket = socket->next_bound;
        }
        return socket;
}

static struct socket *find_node(const struct node *node)
{
        struct socket *socket = first_bound;
        while (socket && socket->node != node) {
                interrupt_window();
                socket = socket->next_bound;
        }
        return socket;
}

int socket_find(const struct socket_address *address, uint32_t size, struct socket **found)
{
        int error = 0;
        if (*address->path) {
                struct node *node = path_find(address->path, task()->fs->directory, &error);
                *found = node ? find_node(node) : NULL;
                node_release(node);
        } else {
                *found = find_abstract(address, size);
        }
        return error ? error : *found ? 0 : -ECONNREFUSED;
}

void socket_unbind(struct socket *socket)
{
        if (!socket->bound)
                return;
        *socket->back_bound = socket->next_bound;
        if (socket->next_bound)
                socket->next_bound->back_bound = socket->back_bound;
        socket->bound = false;
        node_release(socket->node);
}

/* 0, or -EINVAL if it has a name. Takes over the use of `node`. */
static int give_name(struct socket *socket, const struct socket_address *address, uint32_t length,
                     struct node *node)
{
        if (socket->name)
                return -EINVAL;
        socket->name = make_name(address, length);
        if (!socket->name)
                return -ENOMEM;
        socket->node = node;
        socket->bound = true;
        socket->next_bound = first_bound;
        socket->back_bound = &first_bound;
        if (first_bound)
                first_bound->back_bound = &socket->next_bound;
        first_bound = socket;
        return 0;
}

static int make_node(const char *text, struct node **made)
{
        struct path path = {.buffer = heap_allocate(PATH_MAX)};
        int error = path.buffer ? 0 : -ENOMEM;
        if (!error) {
                memcpy(path.buffer, text, strlen(text) + 1);
                error = path_walk(&path, task()->fs->directory, LAST_NAME);
        }
        if (!error)
                error = path_make(&path, S_IFSOCK | (0777 & ~task()->fs->umask), NULL);
        *made = error ? NULL : node_hold(path.node);
        path_release(&path);
        return error == -EEXIST ? -EADDRINUSE : error;
}

static int bind_path(struct socket *socket, const struct socket_address *address)
{
        struct node *node;
        int error = make_node(address->path, &node);
        if (error)
                return error;
        error = give_name(socket, address, HEAD + (uint32_t)strlen(address->path) + 1, node);
        if (error) {
                node->parent->kind->remove(node->parent, node->name, node);
                node_release(node);
        }
        return error;
}

/* The next free name of five digits: there are more names than sockets. */
static int bind_any(struct socket *socket)
{
        static uint32_t last;
        struct socket_address address = {.family = AF_UNIX};
        const uint32_t length = HEAD + 1 + 5;
        if (socket->name)
                return 0;
        do {
                if (!work_goes_on()) /* a program may have all the next names */
                        return (int)call_interrupted(ERESTARTSYS);
                snprintf(address.path + 1, 6, "%05x", (unsigned)++last & 0xfffff);
        } while (find_abstract(&address, length));
        return give_name(socket, &address, length, NULL);
}

static int bind(struct socket *socket, const struct socket_address *address, uint32_t size)
{
        if (size == HEAD && address->family == AF_UNIX)
                return bind_any(socket);
        int error = socket_address_check(address, size);
        if (error)
                return error;
        if (*address->path)
                return bind_path(socket, address);
        return socket->name                   ? -EINVAL
               : find_abstract(address, size) ? -EADDRINUSE
                                              : give_name(socket, address, size, NULL);
}

long sys_bind(long fd, long at, long length, AFTER_3)
{
        struct socket_address address;
        uint32_t size;
        int error;
        struct file *file = socket_of(fd, &error);
        if (!file)
                return error;
        error = socket_address_read(&address, &size, (uintptr_t)at, length);
        if (!error)
                error = bind(file->data, &address, size);
        file_release(file);
        return error;
}

long socket_name_write(const struct socket_name *name, uint32_t least, uintptr_t to,
                       uintptr_t length_at)
{
        static const struct socket_address none = {.family = AF_UNIX};
        const struct socket_address *address = name ? &name->address : &none;
        uint32_t length = name ? name->length : least;
        int32_t room;
        if (user_get(&room, length_at))
                return -EFAULT;
        if (room < 0)
                return -EINVAL;
        size_t part = (uint32_t)room < length ? (uint32_t)room : length;
        return user_write(to, address, part) || user_put(length_at, &length) ? -EFAULT : 0;
}

static long tell_name(long fd, long to, long length_at, bool of_peer)
{
        int error;
        struct file *file = socket_of(fd, &error);
        if (!file)
                return error;
        const struct socket *socket = file->data;
        long result = of_peer && socket->state != SOCKET_CONNECTED
                              ? -ENOTCONN
                              : socket_name_write(of_peer ? socket_peer_name(socket) : socket->name,
                                                  HEAD, (uintptr_t)to, (uintptr_t)length_at);
        file_release(file);
        return result;
}

long sys_getsockname(long fd, long to, long length_at, AFTER_3)
{
        return tell_name(fd, to, length_at, false);
}

long sys_getpeername(long fd, long to, long length_at, AFTER_3)
{
        return tell_name(fd, to, length_at, true);
}
