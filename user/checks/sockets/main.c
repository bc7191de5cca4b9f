/* main.c - stream sockets, in pairs and by path, with Linux's results: the same program passes
 * there. Sockets with names are in a directory of its own. `samples=N`: how often a pair is opened
 * and closed. */
#include "sockets.h"

char text[16384];

unsigned polled(int fd)
{
        struct pollfd one = {fd, 0x20ff, 0};
        SYS(poll, &one, 1, 0);
        return one.answer;
}

int fresh(int flags)
{
        return (int)SYS(socket, AF_UNIX, SOCK_STREAM | flags, 0);
}

uint32_t address_of(struct address *address, const char *path)
{
        *address = (struct address){.family = AF_UNIX};
        memcpy(address->path, path, strlen(path));
        return (uint32_t)(offsetof(struct address, path) + strlen(path) + 1);
}

long bind_to(int fd, const char *path)
{
        struct address address;
        uint32_t length = address_of(&address, path);
        return SYS(bind, fd, &address, length);
}

long connect_to(int fd, const char *path)
{
        struct address address;
        uint32_t length = address_of(&address, path);
        return SYS(connect, fd, &address, length);
}

int listen_at(const char *path, int backlog, int flags)
{
        int fd = fresh(flags);
        bind_to(fd, path);
        SYS(listen, fd, backlog);
        return fd;
}

long accept_from(int fd, int flags)
{
        return SYS(accept4, fd, 0, 0, flags);
}

int meet(const char *path, int ends[2], int flags)
{
        int listener = listen_at(path, 1, 0);
        ends[0] = fresh(flags);
        connect_to(ends[0], path);
        ends[1] = (int)accept_from(listener, flags);
        unlink(path);
        return listener;
}

int main(int argc, char **argv)
{
        signal_set(SIGPIPE, SIG_IGN);
        SYS(umask, 022);
        SYS(mkdir, PLACE, 0755);
        expect("chdir", chdir(PLACE), 0);
        try_pairs();
        try_pages();
        try_names();
        try_abstract_names();
        try_connections();
        try_backlog();
        try_ends();
        try_waits();
        try_messages();
        try_vectors();
        try_options();
        try_socketcall();
        try_often(option_number(argv, "samples", 100));
        chdir("..");
        expect("all is taken away", rmdir(PLACE), 0);
        return check_status();
}
