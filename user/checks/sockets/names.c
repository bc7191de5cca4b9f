/* names.c - sockets' names: paths and abstract names. */
#include "sockets.h"

#define HEAD (long)offsetof(struct address, path)

static long name_of(int fd, struct address *address, uint32_t room)
{
        memset(address, 0x55, sizeof *address);
        long error = SYS(getsockname, fd, address, &room);
        return error ? error : (long)room;
}

static void try_wrong_addresses(int fd)
{
        struct address address;
        uint32_t length = address_of(&address, "a");
        expect("bind: no address", SYS(bind, fd, &address, 0), -EINVAL);
        expect("bind: longer than any", SYS(bind, fd, &address, 129), -EINVAL);
        expect("bind: longer than a path", SYS(bind, fd, &address, 111), -EINVAL);
        expect("bind: less than none", SYS(bind, fd, &address, -1), -EINVAL);
        expect("bind: from nowhere", SYS(bind, fd, 8, length), -EFAULT);
        address.family = 2;
        expect("bind: another family", SYS(bind, fd, &address, length), -EINVAL);
        expect("connect: another family", SYS(connect, fd, &address, length), -EINVAL);
        expect("connect: no address", SYS(connect, fd, &address, 2), -EINVAL);
        expect("connect: from nowhere", SYS(connect, fd, 8, length), -EFAULT);
        expect("bind: no such directory", bind_to(fd, "none/a"), -ENOENT);
        expect("bind: below no directory", bind_to(fd, "file/a"), -ENOTDIR);
        expect("bind: a name that is there", bind_to(fd, "file"), -EADDRINUSE);
        expect("bind: a directory", bind_to(fd, "."), -EADDRINUSE);
        expect("bind: a slash behind it", bind_to(fd, "a/"), -ENOENT);
        expect("bind: no socket", bind_to(1000, "a"), -EBADF);
        expect("bind: a file", bind_to((int)open("file", O_RDONLY, 0), "a"), -ENOTSOCK);
}

static void try_node(int fd)
{
        struct stat about;
        struct address address;
        uint32_t room = 4;
        expect("no name", name_of(fd, &address, sizeof address), HEAD);
        expect("no name: family", address.family, AF_UNIX);
        expect("no peer", SYS(getpeername, fd, &address, &room), -ENOTCONN);
        expect("bind", bind_to(fd, "one"), 0);
        expect("bind again", bind_to(fd, "two"), -EINVAL);
        expect("bind again: no name is left", stat("two", &about), -ENOENT);
        expect("a name", name_of(fd, &address, sizeof address), HEAD + 4);
        check(!strcmp(address.path, "one"), "a name: the path", "%s", address.path);
        expect("a name: little room", name_of(fd, &address, 4), HEAD + 4);
        check(!memcmp(address.path, "on\x55", 3), "a name: little room", "cut");
        expect("a name: less than none", name_of(fd, &address, -1), -EINVAL);
        expect("a name: to nowhere", SYS(getsockname, fd, 8, &room), -EFAULT);
        expect("a name: length nowhere", SYS(getsockname, fd, &address, 8), -EFAULT);
        stat("one", &about);
        expect("stat", about.mode, S_IFSOCK | 0755);
        expect("open", open("one", O_RDWR, 0), -ENXIO);
        expect("O_CREAT", open("one", O_CREAT | O_RDWR, 0644), -ENXIO);
        expect("execve", execve("one", (char *[]){"one", NULL}, (char *[]){NULL}), -EACCES);
        expect("truncate", SYS(truncate, "one", 0), -EINVAL);
        expect("another there", bind_to(fresh(0), "one"), -EADDRINUSE);
        expect("rename", rename("one", "other"), 0);
        expect("the name that it was given", name_of(fd, &address, sizeof address), HEAD + 4);
        close(fd);
        expect("the name stays", stat("other", &about), 0);
        expect("unlink", unlink("other"), 0);
}

static void try_longest(void)
{
        struct address address = {.family = AF_UNIX};
        int fd = fresh(0);
        memset(address.path, 'x', 108);
        expect("108 bytes", SYS(bind, fd, &address, 110), 0);
        expect("108 bytes: told", name_of(fd, &address, sizeof address), 111);
        close(fd);
        address.path[108] = 0;
        expect("108 bytes: unlink", unlink(address.path), 0);
}

void try_names(void)
{
        close((int)open("file", O_CREAT | O_RDWR, 0644));
        int fd = fresh(0);
        try_wrong_addresses(fd);
        try_node(fd);
        try_longest();
        for (int i = 3; i < 20; i++)
                close(i);
        unlink("file");
}

static long bind_abstract(int fd, uint32_t length)
{
        struct address address = {.family = AF_UNIX};
        snprintf(address.path + 1, 30, "of %ld", getpid());
        return SYS(bind, fd, &address, length);
}

void try_abstract_names(void)
{
        struct address address = {.family = AF_UNIX};
        int one = fresh(0), other = fresh(0), third = fresh(0);
        snprintf(address.path + 1, 30, "of %ld", getpid());
        expect("abstract", bind_abstract(one, 20), 0);
        expect("abstract: taken", bind_abstract(other, 20), -EADDRINUSE);
        expect("abstract: length tells", bind_abstract(other, 21), 0);
        expect("abstract: told", name_of(one, &address, sizeof address), 20);
        expect("abstract: one byte cut", SYS(connect, third, &address, 19), -ECONNREFUSED);
        SYS(listen, one, 1);
        expect("abstract: connect", SYS(connect, third, &address, 20), 0);
        close(one);
        one = fresh(0);
        expect("abstract: gone with it", bind_abstract(one, 20), 0);
        close(other);
        other = fresh(0);
        expect("any name", SYS(bind, other, &address, HEAD), 0);
        expect("any name: told", name_of(other, &address, sizeof address), HEAD + 6);
        expect("any name: abstract", address.path[0], 0);
        expect("any name: again", SYS(bind, other, &address, HEAD), 0);
        close(one);
        close(other);
        close(third);
}
