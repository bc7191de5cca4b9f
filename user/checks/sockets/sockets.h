/* sockets.h - shared by the tests of stream sockets. */
#pragma once
#include "linux.h"

#define PLACE "sockets.d" /* the directory for sockets with names */

/* struct sockaddr_un, plus some room. */
struct address {
        uint16_t family;
        char path[130];
};

extern char text[16384];

static inline void close_both(const int pair[2])
{
        close(pair[0]);
        close(pair[1]);
}

unsigned polled(int fd); /* poll()'s immediate result */

int fresh(int flags);                                           /* a new socket */
uint32_t address_of(struct address *address, const char *path); /* its length */
long bind_to(int fd, const char *path);
long connect_to(int fd, const char *path);
int listen_at(const char *path, int backlog, int flags); /* a listening socket */
long accept_from(int fd, int flags);
/* Connects two sockets through a listener at `path`, and returns it; ends[0] is the client. */
int meet(const char *path, int ends[2], int flags);

void try_pairs(void); /* pairs.c */
void try_pages(void); /* pages.c */
void try_often(unsigned rounds);
void try_names(void); /* names.c */
void try_abstract_names(void);
void try_connections(void); /* connections.c */
void try_backlog(void);
void try_ends(void);
void try_waits(void);    /* waits.c */
void try_messages(void); /* messages.c */
void try_vectors(void);
void try_options(void); /* options.c */
void try_socketcall(void);
