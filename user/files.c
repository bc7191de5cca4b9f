/*
 * files.c - the calls on files, by what Linux answers: the same program passes on Linux. It works
 * in a folder of its own below the current one, and takes it away again.
 */
#include "errno.h"
#include "file/file.h"
#include "file/node.h"
#include "lib.h"

#define PLACE "files.d"
#define HERE -100L /* AT_FDCWD */
#define F_DUPFD 0
#define F_GETFD 1
#define F_SETFD 2
#define F_GETFL 3
#define F_SETFL 4
#define SYS(name, ...) sys(NUMBER_##name, (const long[6]){__VA_ARGS__})
#define AT(pointer) ((long)(uintptr_t)(pointer))

static const bool wide = sizeof(void *) == 8;
static char buffer[8192];

static long sys(long number, const long a[6])
{
        return system_call(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

static void expect(const char *name, long is, long wanted)
{
        check(is == wanted, name, "%ld, not %ld", is, wanted);
}

static long open_at(const char *path, long flags)
{
        return SYS(open, AT(path), flags, 0644);
}

/* Writes a text over a file. */
static void put(const char *path, const char *text)
{
        long fd = open_at(path, O_CREAT | O_WRONLY | O_TRUNC);
        SYS(write, fd, AT(text), (long)strlen(text));
        SYS(close, fd);
}

/* Whether a file holds that text. */
static bool holds(const char *path, const char *text)
{
        long fd = open_at(path, O_RDONLY), size = SYS(read, fd, AT(buffer), sizeof buffer);
        SYS(close, fd);
        return size == (long)strlen(text) && !memcmp(buffer, text, (size_t)size);
}

struct facts {
        uint32_t mode, links;
        int64_t size;
        uint64_t number;
};

/* struct stat of amd64, stat64 of i386 */
static long facts_of(struct facts *facts, const char *path, bool follow)
{
        long number = wide ? (follow ? (long)NUMBER_stat : (long)NUMBER_lstat)
                           : (follow ? (long)NUMBER_stat64 : (long)NUMBER_lstat64);
        long result = sys(number, (const long[6]){AT(path), AT(buffer)});
        memcpy(&facts->mode, buffer + (wide ? 24 : 16), 4);
        memcpy(&facts->links, buffer + (wide ? 16 : 20), 4);
        memcpy(&facts->size, buffer + (wide ? 48 : 44), 8);
        memcpy(&facts->number, buffer + (wide ? 8 : 88), 8);
        return result;
}

static void try_open(void)
{
        expect("open: nothing there", open_at("no", O_RDONLY), -ENOENT);
        expect("open: no folder there", open_at("no/file", O_CREAT | O_WRONLY), -ENOENT);
        expect("open: no path", open_at("", O_RDONLY), -ENOENT);
        put("file", "0123456789");
        check(holds("file", "0123456789"), "open", "what was written is read");
        expect("open: O_EXCL", open_at("file", O_CREAT | O_EXCL | O_RDWR), -EEXIST);
        expect("open: below a file", open_at("file/x", O_RDONLY), -ENOTDIR);
        expect("open: a file with a slash", open_at("file/", O_RDONLY), -ENOTDIR);
        expect("open: O_DIRECTORY", open_at("file", O_DIRECTORY), -ENOTDIR);
        expect("open: a folder to write", open_at(".", O_RDWR), -EISDIR);
        expect("open: a folder to create", open_at(".", O_CREAT | O_RDONLY), -EISDIR);
        memset(buffer, 'x', 300);
        buffer[300] = 0;
        expect("open: a long name", open_at(buffer, O_RDONLY), -ENAMETOOLONG);
        memset(buffer, '/', 5000);
        buffer[5000] = 0;
        expect("open: a long path", open_at(buffer, O_RDONLY), -ENAMETOOLONG);
        long fd = open_at("file", O_RDONLY), other = open_at(".//./file", O_WRONLY | O_APPEND);
        expect("open: the lowest free", other, fd + 1);
        expect("write: to what is read", SYS(write, fd, AT("x"), 1), -EBADF);
        expect("read: what is written", SYS(read, other, AT(buffer), 1), -EBADF);
        expect("write: O_APPEND", SYS(write, other, AT("ab"), 2), 2);
        check(holds("file", "0123456789ab"), "write: O_APPEND", "at the end");
        expect("close", SYS(close, other), 0);
        expect("close: twice", SYS(close, other), -EBADF);
        expect("creat", SYS(creat, AT("file"), 0600), other);
        SYS(close, other);
        check(holds("file", ""), "creat", "an empty file");
        expect("openat", SYS(openat, HERE, AT("file"), O_RDONLY, 0), other);
        SYS(close, other);
        expect("openat: a file's folder", SYS(openat, fd, AT("x"), O_RDONLY, 0), -ENOTDIR);
        expect("openat: no descriptor", SYS(openat, 63, AT("x"), O_RDONLY, 0), -EBADF);
        SYS(close, fd);
        long null = open_at("/dev/null", O_RDWR), zero = open_at("/dev/zero", O_RDONLY);
        expect("/dev/null: write", SYS(write, null, AT(buffer), 5000), 5000);
        expect("/dev/null: read", SYS(read, null, AT(buffer), 10), 0);
        expect("/dev/zero: read", SYS(read, zero, AT(buffer), 5000), 5000);
        check(!buffer[0] && !buffer[4999], "/dev/zero", "zeros");
        SYS(close, null);
        SYS(close, zero);
}

static void try_positions(void)
{
        put("file", "0123456789");
        long fd = open_at("file", O_RDWR);
        expect("lseek: from the end", SYS(lseek, fd, -3, 2), 7);
        expect("lseek: from here", SYS(lseek, fd, 1, 1), 8);
        expect("read: to the end", SYS(read, fd, AT(buffer), 10), 2);
        expect("read: at the end", SYS(read, fd, AT(buffer), 10), 0);
        expect("lseek: before the start", SYS(lseek, fd, -1, 0), -EINVAL);
        expect("lseek: nowhere", SYS(lseek, fd, 0, 9), -EINVAL);
        expect("lseek: no descriptor", SYS(lseek, 63, 0, 0), -EBADF);
        expect("lseek: far", SYS(lseek, fd, 3 << 20, 0), 3 << 20);
        expect("write: behind a hole", SYS(write, fd, AT("end"), 3), 3);
        expect("lseek: into the hole", SYS(lseek, fd, 1 << 20, 0), 1 << 20);
        memset(buffer, 'x', sizeof buffer);
        expect("read: a hole", SYS(read, fd, AT(buffer), sizeof buffer), sizeof buffer);
        check(!buffer[0] && !buffer[sizeof buffer - 1], "read: a hole", "zeros");
        SYS(lseek, fd, (3 << 20) - 2, 0);
        expect("read: its end", SYS(read, fd, AT(buffer), 10), 5);
        check(!memcmp(buffer, "\0\0end", 5), "read: its end", "zeros, then what was written");
        if (!wide) {
                int64_t position = 0;
                expect("_llseek", sys(NUMBER__llseek, (const long[6]){fd, 0, 5, AT(&position), 0}),
                       0);
                check(position == 5, "_llseek", "%lld", (long long)position);
        }
        SYS(close, fd);
        fd = open_at("file", O_WRONLY | O_TRUNC);
        SYS(lseek, fd, 12, 0);
        SYS(write, fd, AT("x"), 1);
        SYS(close, fd);
        check(holds("file", "") == false && !buffer[0] && buffer[12] == 'x', "O_TRUNC",
              "nothing old comes back");
}

static void try_vectors(void)
{
        const struct {
                const void *at;
                size_t size;
        } out[] = {{"one ", 4}, {"", 0}, {"two", 3}}, in[] = {{buffer, 2}, {buffer + 100, 50}},
          bad[] = {{"ok", 2}, {(void *)8, 2}};
        long fd = open_at("file", O_RDWR | O_TRUNC);
        expect("writev", SYS(writev, fd, AT(out), 3), 7);
        SYS(lseek, fd, 0, 0);
        expect("readv", SYS(readv, fd, AT(in), 2), 7);
        check(!memcmp(buffer, "on", 2) && !memcmp(buffer + 100, "e two", 5), "readv", "in order");
        expect("writev: none", SYS(writev, fd, AT(out), 0), 0);
        expect("writev: too many", SYS(writev, fd, AT(out), 1025), -EINVAL);
        expect("writev: less than none", SYS(writev, fd, AT(out), -1), -EINVAL);
        expect("writev: as far as it goes", SYS(writev, fd, AT(bad), 2), 2);
        SYS(close, fd);
}

static void try_descriptors(void)
{
        put("file", "0123456789");
        long fd = open_at("file", O_RDONLY | O_CLOEXEC), copy = SYS(dup, fd);
        expect("dup: the lowest free", copy, fd + 1);
        SYS(lseek, fd, 4, 0);
        expect("dup: one position", SYS(lseek, copy, 0, 1), 4);
        expect("F_GETFD: O_CLOEXEC", SYS(fcntl, fd, F_GETFD), 1);
        expect("F_GETFD: of a copy", SYS(fcntl, copy, F_GETFD), 0);
        expect("F_SETFD", SYS(fcntl, copy, F_SETFD, 1), 0);
        expect("F_GETFD: as set", SYS(fcntl, copy, F_GETFD), 1);
        expect("F_DUPFD", SYS(fcntl, fd, F_DUPFD, 20), 20);
        expect("F_DUPFD: the next", SYS(fcntl, fd, F_DUPFD, 20), 21);
        expect("F_SETFL", SYS(fcntl, fd, F_SETFL, O_NONBLOCK | O_RDWR), 0);
        expect("F_GETFL: of a copy", SYS(fcntl, 20, F_GETFL) & ~O_LARGEFILE, O_NONBLOCK);
        expect("fcntl: no such command", SYS(fcntl, fd, 999), -EINVAL);
        expect("dup2", SYS(dup2, fd, 21), 21);
        expect("dup2: to itself", SYS(dup2, fd, fd), fd);
        expect("dup2: nothing", SYS(dup2, 63, 63), -EBADF);
        expect("dup3: to itself", SYS(dup3, fd, fd, 0), -EINVAL);
        expect("dup3: O_CLOEXEC", SYS(dup3, fd, 21, O_CLOEXEC), 21);
        expect("F_GETFD: of dup3", SYS(fcntl, 21, F_GETFD), 1);
        expect("dup: nothing", SYS(dup, 63), -EBADF);
        SYS(close, fd);
        expect("read: through a copy", SYS(read, 20, AT(buffer), 3), 3);
        SYS(close, copy);
        SYS(close, 20);
        SYS(close, 21);
}

static void try_names(void)
{
        struct facts a, b;
        put("file", "0123456789");
        expect("mkdir", SYS(mkdir, AT("folder"), 0777), 0);
        expect("mkdir: there is one", SYS(mkdir, AT("folder/"), 0777), -EEXIST);
        expect("mkdir: a slash behind it", SYS(mkdir, AT("folder/below/"), 0777), 0);
        expect("stat", facts_of(&a, "folder", true), 0);
        check(a.mode == (MODE_FOLDER | 0755), "mkdir", "mode %o", a.mode);
        expect("rmdir: something in it", SYS(rmdir, AT("folder")), -ENOTEMPTY);
        expect("rmdir: .", SYS(rmdir, AT("folder/.")), -EINVAL);
        expect("rmdir: ..", SYS(rmdir, AT("folder/below/..")), -ENOTEMPTY);
        expect("rmdir: a file", SYS(rmdir, AT("file")), -ENOTDIR);
        expect("unlink: a folder", SYS(unlink, AT("folder")), -EISDIR);
        expect("unlink: nothing", SYS(unlink, AT("no")), -ENOENT);
        expect("unlinkat: a folder", SYS(unlinkat, HERE, AT("folder/below"), 0x200), 0);
        expect("rename", SYS(rename, AT("file"), AT("folder/other")), 0);
        expect("rename: it is gone", open_at("file", O_RDONLY), -ENOENT);
        check(holds("folder/other", "0123456789"), "rename", "what it holds");
        put("second", "2");
        facts_of(&a, "second", true);
        expect("rename: over a file", SYS(rename, AT("second"), AT("folder/other")), 0);
        facts_of(&b, "folder/other", true);
        check(a.number == b.number && b.size == 1, "rename", "the same file");
        expect("rename: a folder into itself", SYS(rename, AT("folder"), AT("folder/x")), -EINVAL);
        expect("rename: a folder over a file", SYS(rename, AT("folder"), AT("folder/other")),
               -EINVAL);
        put("second", "2");
        expect("rename: a file over a folder", SYS(rename, AT("second"), AT("folder")), -EISDIR);
        expect("rename: over what is above", SYS(rename, AT("folder/other"), AT("folder")),
               -ENOTEMPTY);
        expect("rename: .", SYS(rename, AT("."), AT("x")), -EBUSY);
        long fd = open_at("folder/other", O_RDWR);
        expect("unlink: an open file", SYS(unlink, AT("folder/other")), 0);
        expect("write: to what has no name", SYS(write, fd, AT("xyz"), 3), 3);
        SYS(lseek, fd, 0, 0);
        expect("read: what has no name", SYS(read, fd, AT(buffer), 9), 3);
        SYS(close, fd);
        expect("access", SYS(access, AT("second"), 6), 0);
        expect("access: not a program", SYS(access, AT("second"), 1), -EACCES);
        expect("access: no such bits", SYS(access, AT("second"), 8), -EINVAL);
        expect("chmod", SYS(chmod, AT("second"), 0751), 0);
        expect("access: a program", SYS(access, AT("second"), 1), 0);
        facts_of(&a, "second", true);
        check(a.mode == (MODE_FILE | 0751) && a.links == 1 && a.size == 1, "stat",
              "mode %o, %u links, %lld bytes", a.mode, a.links, (long long)a.size);
        expect("umask", SYS(umask, 077), 022);
        put("private", "");
        expect("umask: as set", SYS(umask, 022), 077);
        facts_of(&a, "private", true);
        check(a.mode == (MODE_FILE | 0600), "umask", "mode %o", a.mode);
        expect("fstatat: no such flags", SYS(fstatat, HERE, AT("x"), AT(buffer), 2), -EINVAL);
        expect("fsync", SYS(fsync, 63), -EBADF);
        SYS(unlink, AT("private"));
        SYS(unlink, AT("second"));
}

static void try_links(void)
{
        struct facts facts;
        put("folder/file", "text");
        expect("symlink", SYS(symlink, AT("folder"), AT("link")), 0);
        expect("symlink: there is one", SYS(symlink, AT("x"), AT("link")), -EEXIST);
        expect("symlink: to no path", SYS(symlink, AT(""), AT("x")), -ENOENT);
        check(holds("link/file", "text"), "symlink", "on the way");
        expect("readlink", SYS(readlink, AT("link"), AT(buffer), 100), 6);
        expect("readlink: cut", SYS(readlink, AT("link"), AT(buffer), 3), 3);
        expect("readlink: of a folder", SYS(readlink, AT("link/"), AT(buffer), 3), -EINVAL);
        expect("readlink: no room", SYS(readlink, AT("link"), AT(buffer), 0), -EINVAL);
        facts_of(&facts, "link", false);
        check((facts.mode & MODE_TYPE) == MODE_LINK && facts.size == 6, "lstat", "a link");
        facts_of(&facts, "link", true);
        check((facts.mode & MODE_TYPE) == MODE_FOLDER, "stat", "what it leads to");
        expect("open: O_NOFOLLOW", open_at("link", O_NOFOLLOW), -ELOOP);
        expect("rmdir: a link", SYS(rmdir, AT("link")), -ENOTDIR);
        SYS(symlink, AT("self"), AT("self"));
        expect("open: a loop", open_at("self", O_RDONLY), -ELOOP);
        SYS(symlink, AT("folder/new"), AT("nowhere"));
        expect("open: a link to nothing", open_at("nowhere", O_RDONLY), -ENOENT);
        expect("open: the same, O_EXCL", open_at("nowhere", O_CREAT | O_EXCL | O_RDWR), -EEXIST);
        put("nowhere", "made");
        check(holds("folder/new", "made"), "open: O_CREAT", "where the link leads");
        SYS(unlink, AT("nowhere"));
        SYS(unlink, AT("self"));
        SYS(unlink, AT("link"));
        SYS(unlink, AT("folder/new"));
        SYS(unlink, AT("folder/file"));
}

static void try_folders(void)
{
        char was[256], is[256], name[] = "folder/a";
        unsigned seen = 0, entries = 0;
        long size = SYS(getcwd, AT(was), sizeof was);
        check(size == (long)strlen(was) + 1, "getcwd", "%s", was);
        expect("getcwd: no room", SYS(getcwd, AT(is), 3), -ERANGE);
        for (; name[7] < 'a' + 20; name[7]++)
                put(name, "");
        long fd = open_at("folder", O_RDONLY | O_DIRECTORY);
        expect("read: a folder", SYS(read, fd, AT(buffer), 10), -EISDIR);
        expect("getdents64: no room", SYS(getdents64, fd, AT(buffer), 16), -EINVAL);
        while ((size = SYS(getdents64, fd, AT(buffer), 200)) > 0)
                for (long at = 0; at < size; at += *(uint16_t *)(buffer + at + 16)) {
                        const char *entry = buffer + at + 19;
                        entries++;
                        if (!entry[1] && entry[0] >= 'a')
                                seen |= 1u << (entry[0] - 'a');
                }
        check(!size && entries == 22 && seen == 0xfffff, "getdents64", "%u entries, %x", entries,
              seen);
        expect("fchdir", SYS(fchdir, fd), 0);
        check(holds("a", ""), "fchdir", "a path begins there");
        expect("chdir: a file", SYS(chdir, AT("a")), -ENOTDIR);
        SYS(getcwd, AT(is), sizeof is);
        check(strstr(is, PLACE "/folder"), "getcwd", "%s", is);
        expect("chdir", SYS(chdir, AT("..")), 0);
        SYS(getcwd, AT(is), sizeof is);
        check(!strcmp(is, was), "chdir", "%s", is);
        SYS(close, fd);
        fd = open_at("folder/a", O_RDONLY);
        expect("getdents64: a file", SYS(getdents64, fd, AT(buffer), 200), -ENOTDIR);
        expect("fchdir: a file", SYS(fchdir, fd), -ENOTDIR);
        SYS(close, fd);
        while (name[7]-- > 'a')
                SYS(unlink, AT(name));
        SYS(chdir, AT("folder"));
        expect("rmdir: where we are", SYS(rmdir, AT("../folder")), 0);
        expect("getcwd: it is gone", SYS(getcwd, AT(is), sizeof is), -ENOENT);
        expect("open: in what is gone", open_at("x", O_CREAT | O_RDWR), -ENOENT);
        expect("chdir: out of it", SYS(chdir, AT("..")), 0);
}

static void try_pipes(void)
{
        enum {
                SIGACTION = sizeof(void *) == 8 ? 13 : 174,
                SIGPIPE = 13
        };
        const long ignored[5] = {1};
        int ends[2];
        system_call(SIGACTION, (long)SIGPIPE, ignored, 0L, 8L, 0L, 0L);
        expect("pipe2: no such flags", SYS(pipe2, AT(ends), O_APPEND), -EINVAL);
        expect("pipe2", SYS(pipe2, AT(ends), O_NONBLOCK | O_CLOEXEC), 0);
        expect("pipe2: O_CLOEXEC", SYS(fcntl, ends[1], F_GETFD), 1);
        expect("pipe: empty", SYS(read, ends[0], AT(buffer), 1), -EAGAIN);
        expect("pipe: write", SYS(write, ends[1], AT("hello"), 5), 5);
        expect("pipe: read a part", SYS(read, ends[0], AT(buffer), 2), 2);
        expect("pipe: read the rest", SYS(read, ends[0], AT(buffer), 20), 3);
        check(!memcmp(buffer, "llo", 3), "pipe", "in order");
        expect("pipe: write to the wrong end", SYS(write, ends[0], AT("x"), 1), -EBADF);
        expect("pipe: read from the wrong end", SYS(read, ends[1], AT(buffer), 1), -EBADF);
        expect("pipe: lseek", SYS(lseek, ends[0], 0, 0), -ESPIPE);
        expect("pipe: ioctl", SYS(ioctl, ends[0], 0x5401, AT(buffer)), -ENOTTY);
        long most = 0, part;
        while ((part = SYS(write, ends[1], AT(buffer), 1000)) > 0)
                most += part;
        expect("pipe: full", part, -EAGAIN);
        expect("pipe: less than what was read", SYS(read, ends[0], AT(buffer), 500), 500);
        expect("pipe: whole or not at all", SYS(write, ends[1], AT(buffer), 4096), -EAGAIN);
        for (most -= 500; most > 0; most -= part)
                part = SYS(read, ends[0], AT(buffer), sizeof buffer);
        expect("pipe: emptied", most, 0);
        SYS(write, ends[1], AT("last"), 4);
        SYS(close, ends[1]);
        expect("pipe: what is left", SYS(read, ends[0], AT(buffer), 20), 4);
        expect("pipe: its end", SYS(read, ends[0], AT(buffer), 20), 0);
        SYS(close, ends[0]);
        expect("pipe", SYS(pipe, AT(ends)), 0);
        SYS(close, ends[0]);
        expect("pipe: nobody reads", SYS(write, ends[1], AT("x"), 1), -EPIPE);
        SYS(close, ends[1]);
}

/* Each call with each pointer that is none. */
static void try_pointers(void)
{
        static const long bad[] = {8, -4096 + 8};
        long fd;
        int ends[2];
        put("file", "0123456789");
        fd = open_at("file", O_RDWR);
        SYS(pipe, AT(ends));
        for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
                const struct {
                        const char *name;
                        long number, a, b, c, d;
                } calls[] = {
                        {"read", NUMBER_read, fd, bad[i], 4, 0},
                        {"write", NUMBER_write, fd, bad[i], 4, 0},
                        {"readv", NUMBER_readv, fd, bad[i], 1, 0},
                        {"writev", NUMBER_writev, fd, bad[i], 1, 0},
                        {"open", NUMBER_open, bad[i], O_RDONLY, 0, 0},
                        {"openat", NUMBER_openat, HERE, bad[i], O_RDONLY, 0},
                        {"creat", NUMBER_creat, bad[i], 0600, 0, 0},
                        {"unlink", NUMBER_unlink, bad[i], 0, 0, 0},
                        {"rmdir", NUMBER_rmdir, bad[i], 0, 0, 0},
                        {"unlinkat", NUMBER_unlinkat, HERE, bad[i], 0, 0},
                        {"mkdir", NUMBER_mkdir, bad[i], 0700, 0, 0},
                        {"mkdirat", NUMBER_mkdirat, HERE, bad[i], 0700, 0},
                        {"rename, old", NUMBER_rename, bad[i], AT("x"), 0, 0},
                        {"rename, new", NUMBER_rename, AT("file"), bad[i], 0, 0},
                        {"symlink, target", NUMBER_symlink, bad[i], AT("x"), 0, 0},
                        {"symlink", NUMBER_symlink, AT("x"), bad[i], 0, 0},
                        {"readlink", NUMBER_readlink, bad[i], AT(buffer), 9, 0},
                        {"chdir", NUMBER_chdir, bad[i], 0, 0, 0},
                        {"getcwd", NUMBER_getcwd, bad[i], 4000, 0, 0},
                        {"access", NUMBER_access, bad[i], 0, 0, 0},
                        {"chmod", NUMBER_chmod, bad[i], 0600, 0, 0},
                        {"stat", NUMBER_stat, bad[i], AT(buffer), 0, 0},
                        {"stat, to", NUMBER_stat, AT("file"), bad[i], 0, 0},
                        {"lstat, to", NUMBER_lstat, AT("file"), bad[i], 0, 0},
                        {"fstat", NUMBER_fstat, fd, bad[i], 0, 0},
                        {"fstatat, to", NUMBER_fstatat, HERE, AT("file"), bad[i], 0},
                        {"pipe", NUMBER_pipe, bad[i], 0, 0, 0},
                        {"pipe2", NUMBER_pipe2, bad[i], O_NONBLOCK, 0, 0},
                        {"write to a pipe", NUMBER_write, ends[1], bad[i], 4, 0},
                };
                for (unsigned c = 0; c < sizeof calls / sizeof *calls; c++)
                        expect(calls[c].name,
                               system_call(calls[c].number, calls[c].a, calls[c].b, calls[c].c,
                                           calls[c].d, 0L, 0L),
                               -EFAULT);
        }
        SYS(close, ends[0]);
        SYS(close, ends[1]);
        SYS(close, fd);
        expect("pipe: no descriptor was taken", SYS(dup, 1), fd);
        SYS(close, fd);
        SYS(unlink, AT("file"));
}

/* As many descriptors as there are, and no more; afterwards all can be had again. */
static void try_bounds(void)
{
        long fd, first = SYS(dup, 1), count = 1;
        while (count < 100000 && (fd = SYS(dup, 1)) >= 0)
                count++;
        expect("dup: no more descriptors", fd, -EMFILE);
        expect("open: no more descriptors", open_at("/dev/null", O_RDONLY), -EMFILE);
        for (long i = 0; i < count; i++)
                SYS(close, first + i);
        fd = SYS(dup, 1);
        expect("dup: all free again", fd, first);
        SYS(close, fd);
}

/* Tollgate's alone: files leave half of the memory to programs, and give all of it back. */
static void try_space(void)
{
        long part, first = 0, second = 0;
        for (long *total = &first; total; total = total == &first ? &second : NULL) {
                long fd = open_at("file", O_CREAT | O_WRONLY | O_TRUNC);
                while ((part = SYS(write, fd, AT(buffer), sizeof buffer)) > 0)
                        *total += part;
                expect("write: no more space", part, -ENOSPC);
                SYS(close, fd);
                SYS(unlink, AT("file"));
        }
        check(first > 1 << 20 && second == first, "space", "%ld bytes, then %ld", first, second);
}

int main(int argc, char **argv)
{
        (void)argc;
        const char *only = option(argv, "only");
        SYS(mkdir, AT(PLACE), 0755);
        expect("chdir", SYS(chdir, AT(PLACE)), 0);
        SYS(umask, 022);
        if (only && !strcmp(only, "space"))
                try_space();
        try_open();
        try_positions();
        try_vectors();
        try_descriptors();
        try_names();
        try_links();
        try_folders();
        try_pipes();
        try_pointers();
        try_bounds();
        SYS(chdir, AT(".."));
        expect("rmdir: all is taken away", SYS(rmdir, AT(PLACE)), 0);
        return check_status();
}
