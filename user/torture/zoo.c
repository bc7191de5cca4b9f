/* zoo.c - creates and opens the files of zoo.h. */
#include "zoo.h"
#include "clean.h"
#include "linux.h"

#define NAME 48
#define FOUND 100
#define NAMELESS 16 /* and removed files */
#define PREY "/trusted/prey"
#define TWIN "/trusted/twin" /* the same by another name */
#define KEPT "/dev/kept"
#define LIMITS 16 /* per process */

/* Files in the current directory, and a few elsewhere. */
static const char *const made[] = {"regular",
                                   "other",
                                   "folder",
                                   "link",
                                   "dangling",
                                   "circle",
                                   "fifo",
                                   "socket",
                                   "text",
                                   "",
                                   ".",
                                   "..",
                                   "/",
                                   "folder/../regular",
                                   "regular/",
                                   "/tmp",
                                   "/bin",
                                   "/disk",
                                   "/trusted",
                                   PREY,
                                   "/disk/LICENSE",
                                   "/proc/self/.",
                                   "/dev/pts",
                                   "/dev/pts/0",
                                   TWIN};
#define MADE (sizeof made / sizeof *made)
static const char *const places[] = {"", "/tmp", "/bin", "/trusted", "/dev", "/dev/shm"};

static char found[FOUND][NAME];
static unsigned found_count;
static long prey_size;
static uint64_t newest; /* inode, when the zoo was found */
static uint64_t limits[LIMITS][2];
unsigned zoo_names, zoo_descriptors;
static int next;

/* Everything below a directory, except processes: /proc/self is one. */
static void walk(const char *directory)
{
        static const char *const deeper[] = {"/proc/sys", "/proc/sys/kernel"};
        static char room[2048];
        unsigned first = found_count;
        long fd = open(directory, O_RDONLY | O_DIRECTORY, 0), size;
        while ((size = getdents64((int)fd, room, sizeof room)) > 0)
                for (long at = 0; at < size;) {
                        const struct dirent64 *entry = (const struct dirent64 *)(room + at);
                        at += entry->length;
                        if (found_count < FOUND && (unsigned char)*entry->name > '9')
                                snprintf(found[found_count++], NAME, "%s/%s", directory,
                                         entry->name);
                }
        close((int)fd);
        for (unsigned i = first, last = found_count; i < last; i++)
                for (size_t j = 0; j < sizeof deeper / sizeof *deeper; j++)
                        if (!strcmp(found[i], deeper[j]))
                                walk(deeper[j]);
}

static long size_of(const char *path)
{
        struct stat s;
        return stat(path, &s) ? -1 : (long)s.size;
}

/* A copy of this program as a ring-0 program. */
static void make_prey(void)
{
        static char room[4096];
        long from = open("/proc/self/exe", O_RDONLY, 0), part;
        mkdir("/trusted", 0777);
        unlink(PREY);
        long to = open(PREY, O_WRONLY | O_CREAT | O_TRUNC, 0777);
        while ((part = read((int)from, room, sizeof room)) > 0)
                write((int)to, room, (size_t)part);
        close((int)from);
        close((int)to);
}

/* The kernel keeps the call sites found by execve() until the file is opened for writing. */
static void run_prey(void)
{
        char *arguments[] = {PREY, "inherited", NULL}, *environment[] = {NULL};
        long pid = fork();
        if (!pid) {
                execve(PREY, arguments, environment);
                exit_group(127);
        }
        wait4(pid, NULL, 0, NULL);
}

/* Maps the file, because a frame that the kernel allocates for its mapping stays with the file and
 * would look like a loss. */
static void map_whole(const char *path)
{
        long fd = open(path, O_RDONLY, 0), size = size_of(path);
        const volatile char *at =
                (void *)system_call(LIBC_mmap, 0, size, PROT_READ, MAP_PRIVATE, fd, 0);
        for (long i = 0; fd >= 0 && i < size; i += PAGE_SIZE)
                (void)at[i];
        SYS(munmap, at, size);
        close((int)fd);
}

bool zoo_find(void)
{
        char kept[NAME];
        walk("/dev");
        struct stat s;
        mkdir(KEPT, 0700);
        newest = stat(KEPT, &s) ? 0 : s.inode;
        for (unsigned i = 0; i < found_count; i++) {
                snprintf(kept, sizeof kept, KEPT "/%u", i);
                link(found[i], kept);
        }
        walk("/proc");
        walk("/proc/self");
        zoo_names = MADE + found_count;
        zoo_descriptors = zoo_names + NAMELESS;
        prey_size = size_of("/proc/self/exe");
        for (int which = 0; which < LIMITS; which++)
                SYS(prlimit64, 0, which, NULL, limits[which]);
        zoo_mend();
        map_whole("/proc/self/exe");
        map_whole("/disk/LICENSE");
        map_whole(PREY);
        int fds[2];
        return found_count < FOUND && found_count > 20 && size_of("/disk/LICENSE") > 0 &&
               size_of(PREY) == prey_size && !pipe(fds) && !close(fds[0]) && !close(fds[1]);
}

/* Whether deeds have made it or moved it: it is newer than the zoo, or has a name of its files. */
static bool is_strange(const struct dirent64 *entry)
{
        for (size_t i = 0; i < MADE; i++)
                if (!strcmp(entry->name, made[i]))
                        return entry->name[0] != '.';
        return entry->inode > newest;
}

/* Removes what is strange there. */
static void clean_newer(const char *directory)
{
        static char room[2048];
        char path[NAME + 16];
        long fd = open(*directory ? directory : "/", O_RDONLY | O_DIRECTORY, 0), size;
        while ((size = getdents64((int)fd, room, sizeof room)) > 0)
                for (long at = 0; at < size;) {
                        const struct dirent64 *entry = (const struct dirent64 *)(room + at);
                        at += entry->length;
                        snprintf(path, sizeof path, "%s/%s", directory, entry->name);
                        if (is_strange(entry) && strcmp(path, PREY))
                                clean_files(path);
                }
        close((int)fd);
}

void zoo_mend(void)
{
        struct termios terminal;
        char kept[NAME];
        struct stat s, is;
        for (int which = 0; which < LIMITS; which++)
                SYS(prlimit64, 0, which, limits[which], NULL);
        for (size_t i = 0; i < sizeof places / sizeof *places; i++)
                clean_newer(places[i]);
        mkdir("/tmp", 0777);
        mkdir("/bin", 0777);
        mkdir("/dev/shm", 0777);
        for (unsigned i = 0; i < found_count && found[i][1] == 'd'; i++) {
                snprintf(kept, sizeof kept, KEPT "/%u", i);
                if (lstat(kept, &s))
                        continue; /* a folder */
                if (lstat(found[i], &is) || is.inode != s.inode) {
                        unlink(found[i]);
                        link(kept, found[i]);
                }
        }
        ioctl(1, TCGETS, &terminal);
        terminal.output |= OPOST | ONLCR;
        terminal.local &= ~(uint32_t)ECHO; /* no echo of the keys that calls typed */
        ioctl(1, TCSETS, &terminal);
        if (size_of(PREY) != prey_size || SYS(access, PREY, X_OK))
                make_prey();
        run_prey();
}

const char *zoo_name(unsigned name)
{
        static char several[4][NAME];
        static unsigned turn;
        if (name < MADE)
                return made[name];
        if (name < zoo_names)
                return found[name - MADE];
        char *text = several[turn++ % 4];
        snprintf(text, NAME, "/proc/self/fd/%u", ZOO_FIRST + name - zoo_names);
        return text;
}

/* Puts it at a fixed descriptor, even if it could not be opened. */
static long place(long fd)
{
        long is = fd < 0 ? fd : dup2((int)fd, next);
        if (fd >= 0)
                close((int)fd);
        next++;
        return is;
}

static void place_both(int ends[2])
{
        ends[0] = (int)place(ends[0]);
        ends[1] = (int)place(ends[1]);
}

static struct {
        uint16_t family;
        char path[8];
} address = {AF_UNIX, "socket"};

static void open_sockets(void)
{
        int ends[2];
        place(SYS(socket, AF_UNIX, SOCK_STREAM, 0));
        long listens = place(SYS(socket, AF_UNIX, SOCK_STREAM, 0));
        unlink("socket");
        SYS(bind, listens, &address, sizeof address);
        SYS(listen, listens, 4);
        for (int i = 0; i < 2; i++) { /* clients waiting to be accepted */
                long fd = SYS(socket, AF_UNIX, SOCK_STREAM, 0);
                SYS(connect, fd, &address, sizeof address);
                i ? close((int)fd) : place(fd);
        }
        SYS(socketpair, AF_UNIX, SOCK_STREAM, 0, ends);
        place_both(ends);
        write(ends[1], "connected", 9);
        SYS(socketpair, AF_UNIX, SOCK_STREAM, 0, ends);
        place_both(ends);
        SYS(shutdown, ends[0], 2);
        SYS(socketpair, AF_UNIX, SOCK_STREAM, 0, ends);
        place(ends[0]);
        close(ends[1]);
}

static void open_waits(void)
{
        struct {
                uint32_t events;
                uint64_t data;
        } __attribute__((packed)) event = {POLLIN, 7};
        long epoll = place(SYS(epoll_create1, 0));
        long counter = place(SYS(eventfd2, 1, O_NONBLOCK));
        SYS(epoll_ctl, epoll, EPOLL_CTL_ADD, counter, &event);
}

static void open_terminal(void)
{
        char name[NAME];
        unsigned number = 0, unlocked = 0;
        long master = place(open("/dev/ptmx", O_RDWR | O_NOCTTY, 0));
        ioctl((int)master, TIOCGPTN, &number);
        ioctl((int)master, TIOCSPTLCK, &unlocked);
        snprintf(name, sizeof name, "/dev/pts/%u", number);
        place(open(name, O_RDWR, 0)); /* becomes this session's terminal, if it has none */
        write((int)master, "typed\n", 6);
}

static long create(const char *name, const char *text)
{
        long fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0777);
        write((int)fd, text, strlen(text));
        SYS(ftruncate, fd, 10000);
        return fd;
}

/* What shows text is opened for reading, because the console is for people; PREY, for run_prey().
 */
static bool may_write(const char *name)
{
        static const char *const others[] = {PREY,       TWIN,        "/dev/console",
                                             "/dev/tty", "/dev/kmsg", "/dev/records"};
        for (size_t i = 0; i < sizeof others / sizeof *others; i++)
                if (!strcmp(name, others[i]))
                        return false;
        return true;
}

void zoo_open(void)
{
        int ends[2];
        next = ZOO_FIRST;
        close((int)create("regular", "#!/bin/regular\n"));
        close((int)create("text", "#!" PREY " inherited\n"));
        link("regular", "other");
        link(PREY, TWIN);
        mkdir("folder", 0777);
        symlink("regular", "link");
        symlink("nowhere", "dangling");
        symlink("circle", "circle");
        SYS(mknod, "fifo", S_IFIFO | 0666, 0);
        for (unsigned i = 0; i < zoo_names; i++) {
                const char *name = zoo_name(i);
                const int how = O_NONBLOCK | O_NOCTTY;
                long fd = may_write(name) ? open(name, O_RDWR | how, 0) : -1;
                place(fd >= 0 ? fd : open(name, O_RDONLY | how, 0));
        }
        pipe(ends);
        place_both(ends);
        write(ends[1], "in a pipe", 9);
        open_sockets();
        open_waits();
        open_terminal();
        place(create("removed", "removed"));
        unlink("removed");
        long mapped = place(create("mapped", "mapped"));
        mmap_file(8192, PROT_READ | PROT_WRITE, MAP_SHARED, (int)mapped);
}
