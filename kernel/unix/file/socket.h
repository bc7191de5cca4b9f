/* socket.h - shared by the source files of stream sockets: bytes, pairs and ends (socket.c), names
 * (socket_name.c), connections (socket_connect.c), messages (socket_message.c) and options
 * (socket_option.c). */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "thread/schedule.h"
#include "uapi.h"

#define SOCKETS_MOST 1024 /* as many as pipes, each with a page */
#define SOCKET_PAGES 32   /* pages of unread bytes, if memory allows */
#define NO_MORE_IN 1      /* bits of `shut`: reads find the end, writes no reader */
#define NO_MORE_OUT 2

struct file;
struct node;

/* struct sockaddr_un, plus the 0 behind a path that fills it. */
struct socket_address {
        uint16_t family;
        char path[SOCKET_PATH_MAX + 1]; /* begins with a 0: an abstract name of the given length */
} __attribute__((packed));

struct socket_name {
        unsigned users;
        uint32_t length; /* length of the address, as reported to programs */
        struct socket_address address;
};

enum socket_state { SOCKET_NEW, SOCKET_LISTENING, SOCKET_CONNECTED };

struct socket {
        enum socket_state state;
        struct socket *peer;          /* NULL: not connected, or the peer has closed */
        uint8_t *pages[SOCKET_PAGES]; /* a ring of pages with unread bytes */
        uint8_t *spare;               /* an empty page, or NULL */
        uint32_t in, out;             /* total bytes received and read */
        unsigned shut;
        bool reset;               /* the peer closed with unread bytes; not yet reported */
        bool reuses, keeps_alive; /* SO_REUSEADDR, SO_KEEPALIVE */
        struct waiters readers, writers;

        struct socket_name *name, *peer_name;    /* peer_name: of a closed peer */
        struct socket *next_bound, **back_bound; /* in the list of sockets with names */
        bool bound;
        struct node *node; /* node of the path it is bound to, held */
        uint32_t peer_pid;

        struct socket *first, *next; /* queue of sockets to be accepted; next in another's queue */
        unsigned waiting, backlog;
};

/* A new socket without a file, with a page; NULL and -ENFILE or -ENOMEM. */
struct socket *socket_create(int *error);
/* A file for it, or NULL: then the socket stays the caller's. */
struct file *socket_file(struct socket *socket, unsigned flags);
void socket_pair(struct socket *one, struct socket *other);
void socket_wake(struct socket *socket);
/* A descriptor's socket, held, or NULL and -EBADF or -ENOTSOCK. */
struct file *socket_of(long fd, int *error);

/* Like read and write, with flags. */
typedef long socket_exchange(struct file *file, uintptr_t at, size_t size, unsigned flags);
socket_exchange socket_receive, socket_send;
/* The error of a send that does not depend on its bytes, or 0. */
long socket_may_send(const struct socket *socket, unsigned flags);

/* Reads an address from the program. 0 or -errno. */
int socket_address_read(struct socket_address *address, uint32_t *size, uintptr_t from,
                        long length);
/* 0 if it can be looked up, or -EINVAL. */
int socket_address_check(const struct socket_address *address, uint32_t size);
/* The socket bound to it, or -errno. May sleep, and the socket is not held. */
int socket_find(const struct socket_address *address, uint32_t size, struct socket **found);
struct socket_name *socket_name_hold(struct socket_name *name); /* NULL is allowed */
void socket_name_release(struct socket_name *name);
const struct socket_name *socket_peer_name(const struct socket *socket); /* or NULL */
/* Removes it from the sockets with names. */
void socket_unbind(struct socket *socket);
/* Writes as much of a name as fits, and its length; NULL = no name, of `least` bytes. */
long socket_name_write(const struct socket_name *name, uint32_t least, uintptr_t to,
                       uintptr_t length_at);
