/* procfs.c - /proc, with Linux's results: the same program passes there. Checks contents, partial
 * reads, the end, forbidden operations, and files of a process that ends meanwhile. `rounds=N`: how
 * often everything is opened and closed. */
#include "child.h"
#include "linux.h"

static char text[16384], again[16384];

static long open_to_read(const char *path)
{
        return open(path, O_RDONLY, 0);
}

/* Reads all of a file, with a 0; or -errno. `piece`: bytes per read. */
static long read_all(long fd, char *to, size_t piece)
{
        long size = 0, part;
        while ((part = read((int)fd, to + size, piece)) > 0 && size < 16000)
                size += part;
        to[size] = 0;
        return part < 0 ? part : size;
}

static long hold(const char *path, char *to)
{
        long fd = open_to_read(path), size = fd < 0 ? fd : read_all(fd, to, 4096);
        close((int)fd);
        return size;
}

static void holds(const char *path, const char *part)
{
        long size = hold(path, text);
        check(size > 0 && strstr(text, part), path, "%ld bytes, %s in them", size, part);
}

static void try_machine(void)
{
        holds("/proc/version", " version ");
        holds("/proc/meminfo", "\nMemFree: ");
        holds("/proc/cpuinfo", "\nmodel name\t: ");
        holds("/proc/interrupts", "NMI:");
        holds("/proc/stat", "\nbtime ");
        holds("/proc/loadavg", "/");
        holds("/proc/uptime", ".");
        holds("/proc/sys/kernel/pid_max", "\n");
        holds("/proc/self/maps", "[stack]");
        holds("/proc/self/status", "\nPPid:\t");
        char names[6][65];
        SYS(uname, names);
        long size = hold("/proc/sys/kernel/hostname", text);
        check(size == (long)strlen(names[1]) + 1 && !memcmp(text, names[1], (size_t)size - 1),
              "hostname", "uname's");
        holds("/proc/sys/kernel/osrelease", names[2]);
        holds("/proc/sys/kernel/ostype", names[0]);
}

static void try_pieces(void)
{
        long size = hold("/proc/version", text), fd = open_to_read("/proc/version");
        expect("a byte at a time", read_all(fd, again, 1), size);
        check(!memcmp(text, again, (size_t)size), "a byte at a time", "the same text");
        expect("at the end", read((int)fd, again, 10), 0);
        expect("lseek", SYS(lseek, fd, 5, SEEK_SET), 5);
        expect("from there", read((int)fd, again, 3), 3);
        check(!memcmp(text + 5, again, 3), "from there", "what is there");
        expect("lseek: from here", SYS(lseek, fd, 2, SEEK_CUR), 10);
        expect("lseek: far", SYS(lseek, fd, 100000, SEEK_SET), 100000);
        expect("far behind the end", read((int)fd, again, 3), 0);
        expect("lseek: before the start", SYS(lseek, fd, -1, SEEK_SET), -EINVAL);
        expect("lseek: from an end that nobody knows", SYS(lseek, fd, 0, SEEK_END), -EINVAL);
        expect("pread64", SYS(pread64, fd, again, 4, 2, 0), 4);
        check(!memcmp(text + 2, again, 4), "pread64", "what is there");
        SYS(lseek, fd, 0, SEEK_SET);
        expect("nothing", read((int)fd, again, 0), 0);
        expect("to nowhere", read((int)fd, (void *)8, 4), -EFAULT);
        struct pollfd one = {(int)fd, POLLIN | POLLOUT, 0};
        expect("poll", SYS(poll, &one, 1, 0), 1);
        expect("poll: what for", one.answer, POLLIN | POLLOUT);
        int ends[2];
        pipe(ends);
        expect("sendfile", SYS(sendfile, ends[1], fd, 0, 100000), size);
        expect("sendfile: sent", read(ends[0], again, 10000), size);
        check(!memcmp(text, again, (size_t)size), "sendfile", "the same text");
        close(ends[0]);
        close(ends[1]);
        close((int)fd);
}

static void try_wrong_use(void)
{
        struct stat about;
        expect("make a file", open("/proc/nothing", O_CREAT | O_RDWR, 0600), -ENOENT);
        expect("make a file in a process", open("/proc/self/x", O_CREAT | O_RDWR, 0600), -ENOENT);
        expect("make a directory", mkdir("/proc/x", 0700), -ENOENT);
        expect("make a link", symlink("a", "/proc/x"), -ENOENT);
        expect("unlink", unlink("/proc/version"), -EPERM);
        expect("unlink a process's", unlink("/proc/self/stat"), -EPERM);
        expect("rmdir a link", rmdir("/proc/self"), -ENOTDIR);
        expect("rename out of it", rename("/proc/version", "/tmp/version"), -EXDEV);
        expect("to write what is shown", open("/proc/sys/kernel/ostype", O_WRONLY, 0), -EACCES);
        long fd = open("/proc/self/stat", O_WRONLY, 0);
        expect("write", write((int)fd, "x", 1), -EINVAL);
        close((int)fd);
        fd = open("/proc/version", O_RDWR | O_TRUNC, 0);
        expect("write the machine's", write((int)fd, "x", 1), -EIO);
        expect("ftruncate", SYS(ftruncate, fd, 0), 0);
        expect("fsync", SYS(fsync, fd), -EINVAL);
        expect("ioctl", ioctl((int)fd, TCGETS, text), -ENOTTY);
        close((int)fd);
        expect("no such name", open_to_read("/proc/nothing"), -ENOENT);
        expect("a pid with a zero in front", open_to_read("/proc/01/stat"), -ENOENT);
        expect("no such pid", open_to_read("/proc/4194303/stat"), -ENOENT);
        snprintf(text, sizeof text, "/proc/%llu/stat", (1ull << 32) + (unsigned long)getpid());
        expect("its own pid and 2^32", open_to_read(text), -ENOENT);
        expect("a pid that is too long", open_to_read("/proc/99999999999/stat"), -ENOENT);
        expect("no such descriptor", open_to_read("/proc/self/fd/999"), -ENOENT);
        expect("stat", stat("/proc/self/cmdline", &about), 0);
        check(about.mode == (S_IFREG | 0444) && !about.size, "stat", "no size is known");
        expect("lstat", lstat("/proc/self", &about), 0);
        check((about.mode & S_IFMT) == S_IFLNK, "lstat", "a link");
}

static void try_self(char **argv)
{
        char path[64], target[PATH_MAX], here[PATH_MAX];
        struct stat a, b;
        snprintf(path, sizeof path, "%ld", getpid());
        long size = readlink("/proc/self", target, sizeof target);
        check(size == (long)strlen(path) && !memcmp(target, path, (size_t)size), "self", "%s",
              path);
        size = hold("/proc/self/cmdline", text);
        check(size > 0 && !strcmp(text, argv[0]), "cmdline", "%s", text);
        size = readlink("/proc/self/exe", target, sizeof target - 1);
        target[size < 0 ? 0 : size] = 0;
        check(*target == '/' && !stat(target, &a) && !stat("/proc/self/exe", &b) &&
                      a.inode == b.inode,
              "exe", "%s", target);
        long fd = open_to_read("/proc/self/exe");
        expect("exe: what it leads to", read((int)fd, text, 4), 4);
        check(!memcmp(text, "\177ELF", 4), "exe", "a program");
        close((int)fd);
        size = readlink("/proc/self/cwd", target, sizeof target - 1);
        target[size < 0 ? 0 : size] = 0;
        getcwd(here, sizeof here);
        check(!strcmp(target, here), "cwd", "%s", target);
        fd = open_to_read("/dev/null");
        snprintf(path, sizeof path, "/proc/self/fd/%ld", fd);
        size = readlink(path, target, sizeof target - 1);
        target[size < 0 ? 0 : size] = 0;
        check(!strcmp(target, "/dev/null"), "fd", "%s", target);
        long other = open(path, O_RDWR, 0);
        expect("fd: opened again", write((int)other, "x", 1), 1);
        close((int)other);
        close((int)fd);
        int ends[2];
        pipe(ends);
        snprintf(path, sizeof path, "/proc/self/fd/%d", ends[0]);
        size = readlink(path, target, sizeof target - 1);
        check(size > 7 && !memcmp(target, "pipe:[", 6), "fd: a pipe", "named so");
        expect("execve of a pipe", execve(path, argv, argv), -EACCES);
        snprintf(again, sizeof again, "%s/..", path);
        expect("what is above a pipe", open_to_read(again), -ENOTDIR);
        close(ends[0]);
        close(ends[1]);
        system_call(NUMBER_socketpair, AF_UNIX, SOCK_STREAM, 0, ends);
        snprintf(path, sizeof path, "/proc/self/fd/%d", ends[0]);
        expect("fd: a socket", open_to_read(path), -ENXIO);
        expect("execve of a socket", execve(path, argv, argv), -EACCES);
        close(ends[0]);
        close(ends[1]);
        expect("fd: closed", readlink(path, target, 10), -ENOENT);
        expect("chdir", chdir("/proc/self/fd"), 0);
        expect("readlink there", readlink("1", target, 100) > 0, 1);
        chdir(here);
}

/* This program under a name that looks like a line of the file. */
static void try_maps_of(const char *self)
{
        static const char name[] = "/tmp/proc\n00000000-ffffffff rwxp";
        char *arguments[] = {(char *)name, "maps", NULL};
        int status = 0;
        mkdir("/tmp", 0777);
        long from = open_to_read(self), to = open(name, O_CREAT | O_TRUNC | O_WRONLY, 0700);
        SYS(sendfile, to, from, 0, 1 << 30);
        close((int)from);
        close((int)to);
        long pid = fork();
        if (!pid) {
                execve(name, arguments, arguments + 2);
                exit_group(127);
        }
        wait4(pid, &status, 0, NULL);
        unlink(name);
        expect("maps: the path has an end of a line in it", status, 0);
}

static int show_maps(void)
{
        hold("/proc/self/maps", text);
        return strstr(text, "\n00000000-") || !strstr(text, "/proc\\012");
}

/* A child sleeps, then ends: its open file stays, and shows the end. */
static void try_end(void)
{
        static const char *const names[] = {"stat", "status", "cmdline", "maps"};
        char path[64], target[64];
        long fds[4], pid = fork();
        if (!pid)
                for (;;)
                        pause();
        for (unsigned i = 0; i < 4; i++) {
                snprintf(path, sizeof path, "/proc/%ld/%s", pid, names[i]);
                fds[i] = open_to_read(path);
        }
        snprintf(path, sizeof path, "/proc/%ld", pid);
        long folder = open(path, O_RDONLY | O_DIRECTORY, 0);
        expect("while it lives", read((int)fds[0], text, 100) > 0, 1);
        kill(pid, SIGKILL);
        do { /* until it is a zombie */
                sleep_ms(10);
                SYS(lseek, fds[0], 0, SEEK_SET);
                read((int)fds[0], text, sizeof text);
        } while (!strstr(text, ") Z "));
        check(true, "stat: it has ended", "Z");
        expect("cmdline: it has ended", read((int)fds[2], text, 10), 0);
        expect("maps: it has ended", read((int)fds[3], text, 10), 0);
        expect("status: it has ended", read((int)fds[1], text, 1000) > 0, 1);
        snprintf(path, sizeof path, "/proc/%ld/exe", pid);
        expect("exe: it has ended", readlink(path, target, sizeof target), -ENOENT);
        snprintf(path, sizeof path, "/proc/%ld/cwd", pid);
        expect("cwd: it has ended", readlink(path, target, sizeof target), -ENOENT);
        wait4(pid, NULL, 0, NULL);
        SYS(lseek, fds[0], 0, SEEK_SET);
        SYS(lseek, fds[1], 0, SEEK_SET);
        for (unsigned i = 0; i < 4; i++) {
                expect(names[i], read((int)fds[i], text, 100), -ESRCH);
                close((int)fds[i]);
        }
        expect("open in what was it", SYS(openat, folder, "stat", O_RDONLY, 0), -ESRCH);
        close((int)folder);
        snprintf(path, sizeof path, "/proc/%ld/stat", pid);
        expect("open it by its name", open_to_read(path), -ENOENT);
}

/* Tollgate only: we must not change another system's name. */
static void try_name(void)
{
        char names[6][65];
        long fd = open("/proc/sys/kernel/hostname", O_WRONLY, 0);
        expect("every program is root's", SYS(getuid, 0) | SYS(geteuid, 0) | SYS(getgid, 0), 0);
        expect("hostname: write", write((int)fd, "other\nrest", 10), 10);
        expect("hostname: write behind it", write((int)fd, "x", 1), 1);
        SYS(uname, names);
        check(!strcmp(names[1], "other"), "hostname", "%s", names[1]);
        SYS(lseek, fd, 0, SEEK_SET);
        expect("hostname: from nowhere", write((int)fd, (void *)8, 4), -EFAULT);
        memset(text, 'n', 200);
        expect("hostname: a long one", write((int)fd, text, 200), 200);
        SYS(uname, names);
        check(strlen(names[1]) == 64, "hostname", "cut to %u", (unsigned)strlen(names[1]));
        close((int)fd);
        expect("sethostname", SYS(sethostname, "tollgate", 8), 0);
        memcpy(text, "tollgate", 8);
        expect("sethostname: a length is an int", SYS(sethostname, text, (long)(1ull << 32 | 8)),
               0);
        expect("sethostname: too long", SYS(sethostname, text, 65), -EINVAL);
        expect("sethostname: from nowhere", SYS(sethostname, 8, 4), -EFAULT);
        holds("/proc/sys/kernel/hostname", "tollgate\n");
}

static void try_often(unsigned rounds)
{
        static const char *const paths[] = {"/proc/self/stat", "/proc/self/fd/1", "/proc",
                                            "/proc/sys/kernel/hostname"};
        long fd = 0;
        for (unsigned i = 0; i < rounds && fd >= 0; i++) {
                fd = open_to_read(paths[i % 4]);
                close((int)fd);
        }
        check(fd >= 0, "opened often", "%u times", rounds);
}

int main(int argc, char **argv)
{
        struct toll_counts counts;
        if (argc > 1 && !strcmp(argv[1], "maps"))
                return show_maps();
        bool ours = !toll_call(NUMBER_toll_row, TOLL_COUNTS, &counts);
        try_machine();
        try_pieces();
        try_wrong_use();
        try_self(argv);
        try_maps_of(argv[0]);
        try_end();
        if (ours)
                try_name();
        try_often(option_number(argv, "samples", 200));
        return check_status();
}
