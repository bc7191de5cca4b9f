/*
 * socket.h - what the sources of stream sockets share: bytes, pairs and ends (socket.c), names
 * (socket_name.c), connections (socket_connect.c), messages (socket_message.c) and options
 * (socket_option.c).
 */
#ifndef TOLLGATE_UNIX_FILE_SOCKET_H
#define TOLLGATE_UNIX_FILE_SOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "thread/schedule.h"
#include "uapi.h"

#define SOCKETS_MOST 1024 /* as many as pipes, each with a page */
#define SOCKET_PAGES 32   /* of unread bytes, where there is that much memory for it */
#define NO_MORE_IN 1      /* of `shut`: reads find the end, writes nobody */
#define NO_MORE_OUT 2

/* The flags that say something here, and those that ask for nothing. */
#define SOCKET_SENDS (unsigned)(MSG_DONTWAIT | MSG_NOSIGNAL | MSG_MORE | MSG_EOR | MSG_DONTROUTE)
#define SOCKET_RECEIVES                                                                            \
        (unsigned)(MSG_DONTWAIT | MSG_NOSIGNAL | MSG_PEEK | MSG_WAITALL | MSG_TRUNC |              \
                   MSG_CMSG_CLOEXEC)

struct file;
struct node;

/* struct sockaddr_un, and the 0 behind a path that fills it. */
struct socket_address {
        uint16_t family;
        char path[SOCKET_PATH_MAX +
                  1]; /* begins with a 0: an abstract name, as long as it is said */
} __attribute__((packed));

struct socket_name {
        unsigned users;
        uint32_t length; /* of the address, as programs are told it */
        struct socket_address address;
};

enum socket_state {
        SOCKET_NEW,
        SOCKET_LISTENING,
        SOCKET_CONNECTED
};

struct socket {
        enum socket_state state;
        struct socket *peer;          /* NULL: none yet, or it has closed */
        uint8_t *pages[SOCKET_PAGES]; /* a ring, of those in which bytes lie */
        uint8_t *spare;               /* a page with none, or NULL */
        uint32_t in, out;             /* bytes that ever came, and were read */
        unsigned shut;
        bool reset;               /* the peer has closed before it read all, and nobody knows */
        bool reuses, keeps_alive; /* SO_REUSEADDR, SO_KEEPALIVE */
        struct waiters readers, writers;

        struct socket_name *name, *peer_name;    /* peer_name: of one that has closed */
        struct socket *next_bound, **back_bound; /* in the list of those found by their name */
        bool bound;
        struct node *node; /* of a path that it is bound to, held */
        uint32_t peer_pid;

        struct socket *first, *next; /* sockets that wait to be accepted; in that list of another */
        unsigned waiting, backlog;
};

/* A new one without a file, with a page; NULL and -ENFILE or -ENOMEM. */
struct socket *socket_create(int *error);
/* A file of it, or NULL: the socket stays the caller's. */
struct file *socket_file(struct socket *socket, unsigned flags);
/* It is no more. `unheard`: it was not accepted, which its peer finds out. */
void socket_end(struct socket *socket, bool unheard);
void socket_pair(struct socket *one, struct socket *other);
void socket_wake(struct socket *socket);
/* A descriptor's socket, held, or NULL and -EBADF or -ENOTSOCK. */
struct file *socket_of(long fd, int *error);

/* As read and write, with flags. */
typedef long socket_exchange(struct file *file, uintptr_t at, size_t size, unsigned flags);
socket_exchange socket_receive, socket_send;
/* The error of a send that needs no look at its bytes, or 0. */
long socket_may_send(const struct socket *socket, unsigned flags);

/* An address from the program. 0 or -errno. */
int socket_address_read(struct socket_address *address, uint32_t *size, uintptr_t from,
                        long length);
/* It can be looked for: 0 or -EINVAL. */
int socket_address_check(const struct socket_address *address, uint32_t size);
/* The socket that is bound to it, or -errno. May sleep, because nobody holds the socket. */
int socket_find(const struct socket_address *address, uint32_t size, struct socket **found);
struct socket_name *socket_name_hold(struct socket_name *name); /* NULL is fine */
void socket_name_release(struct socket_name *name);
const struct socket_name *socket_peer_name(const struct socket *socket); /* or NULL */
/* Nobody finds it any more by its name. */
void socket_unbind(struct socket *socket);
/* A name, as much of it as there is room for, and its length; NULL = none, of `least` bytes. */
long socket_name_write(const struct socket_name *name, uint32_t least, uintptr_t to,
                       uintptr_t length_at);

#endif
