/* files.c - names, contents, open files, pipes. */
#include "leaks.h"

static long make(const char *name)
{
        return open(name, O_CREAT | O_RDWR | O_TRUNC, 0644);
}

static void names(void)
{
        mkdir("d", 0755);
        long fd = make("d/a");
        write((int)fd, buffer, sizeof buffer);
        close((int)fd);
        close((int)make("d/b"));
        rename("d/a", "d/b"); /* over another */
        rename("d/b", "d/new name that is longer than the old one");
        rename("d/none", "d/x");
        rename("d", "d/below"); /* refused */
        mkdir("e", 0755);
        rename("e", "d/e");
        rmdir("d");
        rmdir("d/e");
        unlink("d/new name that is longer than the old one");
        rmdir("d");
}

/* A file with more names than one: some go, some are moved, the first goes first or last. */
static void hard_links(void)
{
        mkdir("d", 0755);
        for (int i = 0; i < 2; i++) {
                long fd = make("first");
                SYS(link, "first", "d/second");
                SYS(link, "d/second", "third");
                SYS(link, "first", "third"); /* there */
                SYS(link, "d", "e");         /* refused */
                rename("third", "d/fourth");
                rename("first", "d/second"); /* the same: nothing happens */
                unlink(i ? "first" : "d/fourth");
                close((int)make("over"));
                rename("over", "d/second");
                unlink("d/second");
                unlink("first");
                unlink("d/fourth");
                write((int)fd, buffer, sizeof buffer);
                close((int)fd);
        }
        rmdir("d");
}

/* Open and gone; a current directory that is gone; an open directory. */
static void unlinked(void)
{
        long fd = make("gone");
        unlink("gone");
        write((int)fd, buffer, sizeof buffer);
        close((int)fd);
        mkdir("here", 0755);
        mkdir("here/below", 0755);
        chdir("here/below");
        long open_one = open(".", O_RDONLY, 0);
        rmdir("../below");
        rmdir("/tmp/leaks/here");
        make("no");
        mkdir("no", 0755);
        close((int)open_one);
        chdir("/tmp/leaks");
}

static void left_open(void)
{
        make("left");
        unlink("left");
        mkdir("there", 0755);
        chdir("there");
        rmdir("../there");
        SYS(umask, 0);
}

static void unlinked_left(void)
{
        in_child(left_open);
}

static void links(void)
{
        char target[300];
        memset(target, 'x', sizeof target - 1);
        target[sizeof target - 1] = 0;
        symlink(target, "long");
        symlink("loop", "loop");
        symlink("long", "long"); /* there */
        open("loop", O_RDONLY, 0);
        readlink("long", buffer, sizeof buffer);
        stat("loop", (struct stat *)buffer);
        rename("loop", "long");
        unlink("long");
        unlink("loop");
}

static void contents(void)
{
        long fd = make("sparse");
        for (int i = 0; i < 5; i++) {
                SYS(lseek, fd, i * 3000000, SEEK_SET);
                write((int)fd, "x", 1);
        }
        close((int)make("sparse")); /* O_TRUNC */
        SYS(lseek, fd, 0, SEEK_SET);
        write((int)fd, buffer, sizeof buffer);
        read((int)fd, buffer, sizeof buffer);
        write((int)fd, (void *)8, 5000);
        close((int)fd);
        unlink("sparse");
}

static void big_directory(void)
{
        char name[32];
        mkdir("big", 0755);
        for (int i = 0; i < 300; i++) {
                snprintf(name, sizeof name, "big/%d", i);
                close((int)make(name));
        }
        long fd = open("big", O_RDONLY, 0);
        while (getdents64((int)fd, buffer, sizeof buffer) > 0)
                ;
        close((int)fd);
        for (int i = 0; i < 300; i++) {
                snprintf(name, sizeof name, "big/%d", i);
                unlink(name);
        }
        rmdir("big");
}

static void full(void)
{
        long fd = make("full");
        for (int i = 0; write((int)fd, buffer, sizeof buffer) > 0; i++)
                ;
        mkdir("no room", 0755);
        symlink("no room", "none");
        rename("full", "fuller");
        unlink("none");
        rmdir("no room");
        unlink("full");
        unlink("fuller");
        close((int)fd);
}

static void pipes(void)
{
        int ends[2], more[2];
        pipe(ends);
        write(ends[1], buffer, 3000);
        read(ends[0], buffer, 10);
        pipe(more);
        dup2(ends[0], more[1]);
        close(ends[0]);
        close(ends[1]);
        close(more[0]);
        close(more[1]);
        pipe((int *)8);
        SYS(pipe2, ends, 77);
}

static void pipes_left(void)
{
        int ends[2];
        for (int i = 0; i < 3; i++) {
                pipe(ends);
                write(ends[1], buffer, 100);
        }
}

static void pipes_left_behind(void)
{
        in_child(pipes_left);
}

/* Opens until there is no descriptor left; a pipe that gets one of two is given up. */
static void descriptors(void)
{
        int ends[2];
        while (!pipe(ends))
                ;
        while (SYS(dup, 0) >= 0)
                ;
        close(3);
        pipe(ends);
        open("/", O_RDONLY, 0);
        make("one too many");
        open("/tmp/leaks/none", O_RDONLY, 0);
        unlink("one too many");
        in_child(pipes_left);
}

static void all_descriptors(void)
{
        in_child(descriptors);
}

static void proc(void)
{
        static const char *const paths[] = {"/proc/self/stat",  "/proc/self/status",
                                            "/proc/self/maps",  "/proc/self/cmdline",
                                            "/proc/self/exe",   "/proc/self/fd/1",
                                            "/proc/self/fd",    "/proc/self/cwd",
                                            "/proc/meminfo",    "/proc/sys/kernel/hostname",
                                            "/proc/self/fd/99", "/proc/0"};
        for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
                long fd = open(paths[i], O_RDONLY | O_NONBLOCK, 0);
                read((int)fd, buffer, 100);
                read((int)fd, (void *)8, 100);
                while (getdents64((int)fd, buffer, 64) > 0)
                        ;
                close((int)fd);
                readlink(paths[i], buffer, 100);
        }
        chdir("/proc/self/fd");
        chdir("/tmp/leaks");
}

static void sockets(void)
{
        int pair[2];
        for (int i = 0; i < 4; i++) {
                SYS(socketpair, AF_UNIX, SOCK_STREAM | O_NONBLOCK, 0, pair);
                write(pair[0], buffer, 6000);
                read(pair[1], buffer, i);
                SYS(shutdown, pair[1], i);
                close(pair[i % 2]);
                close(pair[1 - i % 2]);
        }
        SYS(socketpair, AF_UNIX, SOCK_STREAM, 0, 8);
        SYS(socketpair, AF_UNIX, 7, 0, pair);
}

/* Bound, connected, accepted and not, and by no name; the listener goes first and last. */
static void sockets_by_path(void)
{
        struct {
                uint16_t family;
                char path[14];
        } address = {AF_UNIX, "s"};
        for (int i = 0; i < 4; i++) {
                long listener = SYS(socket, AF_UNIX, SOCK_STREAM | O_NONBLOCK, 0), ends[3];
                SYS(bind, listener, &address, sizeof address);
                SYS(bind, listener, &address, sizeof address); /* refused */
                SYS(listen, listener, 1);
                for (int n = 0; n < 3; n++) {
                        ends[n] = SYS(socket, AF_UNIX, SOCK_STREAM | O_NONBLOCK, 0);
                        if (i == 2)
                                SYS(bind, ends[n], &address, 2);
                        SYS(connect, ends[n], &address, sizeof address);
                        write((int)ends[n], buffer, 6000);
                }
                long accepted = i % 2 ? SYS(accept4, listener, 0, 0, 0) : -1;
                SYS(accept4, listener, 8, 8, 0);
                close((int)(i < 2 ? listener : accepted));
                for (int n = 0; n < 3; n++)
                        close((int)ends[n]);
                close((int)(i < 2 ? accepted : listener));
                unlink("s");
        }
}

static void sockets_left(void)
{
        struct {
                uint16_t family;
                char path[14];
        } address = {AF_UNIX, "left"};
        long listener = SYS(socket, AF_UNIX, SOCK_STREAM, 0);
        SYS(bind, listener, &address, sizeof address);
        SYS(listen, listener, 3);
        long fd = SYS(socket, AF_UNIX, SOCK_STREAM, 0);
        SYS(connect, fd, &address, sizeof address);
        unlink("left");
        sockets();
}

static void sockets_left_behind(void)
{
        in_child(sockets_left);
}

static void ptys(void)
{
        char path[24];
        for (int i = 0; i < 4; i++) {
                int no = 0, number = 0;
                int master = (int)open("/dev/ptmx", O_RDWR | O_NONBLOCK, 0);
                ioctl(master, TIOCGPTN, &number);
                snprintf(path, sizeof path, "/dev/pts/%d", number);
                open(path, O_RDWR, 0); /* locked */
                ioctl(master, TIOCSPTLCK, &no);
                int slave = (int)open(path, O_RDWR | O_NONBLOCK, 0);
                write(slave, buffer, 6000);
                write(master, "typed\n", 6);
                read(slave, buffer, i);
                close(i % 2 ? master : slave);
                close(i % 2 ? slave : master);
        }
}

static void ptys_left(void)
{
        for (int i = 0; i < 3; i++)
                open("/dev/ptmx", O_RDWR, 0);
        ptys();
}

static void ptys_left_behind(void)
{
        in_child(ptys_left);
}

static void paths_refused(void)
{
        memset(buffer, 'y', 5000);
        buffer[5000] = 0;
        open(buffer, O_RDONLY, 0);
        mkdir(buffer, 0755);
        symlink(buffer, "l");
        buffer[300] = 0;
        make(buffer);
        open((const char *)8, O_CREAT, 0);
        rename((const char *)8, "x");
        symlink("", "x");
        chdir("none");
        mkdir("/", 0755);
        unlink("/tmp");
        make("none/x");
}

/* struct flock of this program's width */
struct lock {
        short type, whence;
        long start, length;
        int pid;
};

static long lock(int fd, int command, short type, long start, long length)
{
        struct lock lock = {.type = type, .start = start, .length = length};
        return SYS(fcntl, fd, command, &lock);
}

static void locks(void)
{
        int fd = (int)make("locked");
        for (int i = 0; i < 20; i++)
                lock(fd, F_SETLK, i % 2 ? F_RDLCK : F_WRLCK, 10 * i, 10);
        lock(fd, F_SETLK, F_UNLCK, 55, 90);
        lock(fd, F_SETLK, F_WRLCK, 0, 0);
        SYS(flock, fd, 2);
        close(fd);
        unlink("locked");
}

static void locks_left(void)
{
        int fd = (int)make("locked");
        for (int i = 0; i < 20; i++)
                lock(fd, F_SETLK, F_WRLCK, 20 * i, 10);
        SYS(flock, fd, 1);
        unlink("locked");
}

static void locks_left_behind(void)
{
        in_child(locks_left);
}

static void fifos(void)
{
        SYS(mknod, "fifo", S_IFIFO | 0600, 0);
        int both = (int)open("fifo", O_RDWR, 0), reads = (int)open("fifo", O_RDONLY, 0);
        write(both, "left", 4);
        unlink("fifo");
        close(both);
        close(reads);
}

/* A pipe by its name in /proc, which is there when its own descriptors are closed. */
static void pipes_again(void)
{
        char path[32];
        int ends[2];
        pipe(ends);
        snprintf(path, sizeof path, "/proc/self/fd/%d", ends[0]);
        int again = (int)open(path, O_RDONLY, 0);
        close(ends[0]);
        close(ends[1]);
        close(again);
}

const struct leak file_leaks[] = {
        {"names", names, 0},
        {"hard links", hard_links, 0},
        {"unlinked and open", unlinked, 0},
        {"unlinked and left open", unlinked_left, 0},
        {"symbolic links", links, 0},
        {"contents", contents, 0},
        {"a big directory", big_directory, 100},
        {"a full tree", full, 1000},
        {"pipes", pipes, 0},
        {"pipes left behind", pipes_left_behind, 0},
        {"locks", locks, 0},
        {"locks left behind", locks_left_behind, 0},
        {"pipes with names", fifos, 0},
        {"pipes opened again", pipes_again, 0},
        {"all descriptors", all_descriptors, 100},
        {"/proc", proc, 0},
        {"sockets", sockets, 0},
        {"sockets by path", sockets_by_path, 0},
        {"sockets left behind", sockets_left_behind, 0},
        {"ptys", ptys, 0},
        {"ptys left behind", ptys_left_behind, 0},
        {"paths refused", paths_refused, 0},
        {NULL, NULL, 0},
};
