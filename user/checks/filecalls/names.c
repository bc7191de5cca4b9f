/* names.c - names and their targets: files, directories, links. */
#include "filecalls.h"

void try_names(void)
{
        struct stat a, b;
        fill("file", "0123456789");
        expect("mkdir", SYS(mkdir, "folder", 0777), 0);
        expect("mkdir: there is one", SYS(mkdir, "folder/", 0777), -EEXIST);
        expect("mkdir: a slash behind it", SYS(mkdir, "folder/below/", 0777), 0);
        expect("stat", stat("folder", &a), 0);
        check(a.mode == (S_IFDIR | 0755), "mkdir", "mode %o", a.mode);
        expect("rmdir: something in it", SYS(rmdir, "folder"), -ENOTEMPTY);
        expect("rmdir: .", SYS(rmdir, "folder/."), -EINVAL);
        expect("rmdir: ..", SYS(rmdir, "folder/below/.."), -ENOTEMPTY);
        expect("rmdir: a file", SYS(rmdir, "file"), -ENOTDIR);
        expect("unlink: a directory", SYS(unlink, "folder"), -EISDIR);
        expect("unlink: nothing", SYS(unlink, "no"), -ENOENT);
        expect("unlinkat: a directory", SYS(unlinkat, AT_FDCWD, "folder/below", AT_REMOVEDIR), 0);
        expect("rename", SYS(rename, "file", "folder/other"), 0);
        expect("rename: it is gone", open_at("file", O_RDONLY), -ENOENT);
        check(holds("folder/other", "0123456789"), "rename", "what it holds");
        fill("second", "2");
        stat("second", &a);
        expect("rename: over a file", SYS(rename, "second", "folder/other"), 0);
        stat("folder/other", &b);
        check(a.inode == b.inode && b.size == 1, "rename", "the same file");
        expect("rename: a directory into itself", SYS(rename, "folder", "folder/x"), -EINVAL);
        expect("rename: a directory over a file", SYS(rename, "folder", "folder/other"), -EINVAL);
        fill("second", "2");
        expect("rename: a file over a directory", SYS(rename, "second", "folder"), -EISDIR);
        expect("rename: over what is above", SYS(rename, "folder/other", "folder"), -ENOTEMPTY);
        expect("rename: .", SYS(rename, ".", "x"), -EBUSY);
        long fd = open_at("folder/other", O_RDWR);
        expect("unlink: an open file", SYS(unlink, "folder/other"), 0);
        expect("write: to what has no name", SYS(write, fd, "xyz", 3), 3);
        SYS(lseek, fd, 0, SEEK_SET);
        expect("read: what has no name", SYS(read, fd, buffer, 9), 3);
        SYS(close, fd);
        expect("access", SYS(access, "second", R_OK | W_OK), 0);
        expect("access: not a program", SYS(access, "second", X_OK), -EACCES);
        expect("access: no such bits", SYS(access, "second", 8), -EINVAL);
        expect("chmod", SYS(chmod, "second", 0751), 0);
        expect("access: a program", SYS(access, "second", X_OK), 0);
        stat("second", &a);
        check(a.mode == (S_IFREG | 0751) && a.links == 1 && a.size == 1, "stat",
              "mode %o, %u links, %lld bytes", a.mode, (unsigned)a.links, (long long)a.size);
        expect("umask", SYS(umask, 077), 022);
        fill("private", "");
        expect("umask: as set", SYS(umask, 022), 077);
        stat("private", &a);
        check(a.mode == (S_IFREG | 0600), "umask", "mode %o", a.mode);
        expect("fstatat: no such flags", SYS(fstatat, AT_FDCWD, "x", buffer, 2), -EINVAL);
        expect("fsync", SYS(fsync, 63), -EBADF);
        SYS(unlink, "private");
        SYS(unlink, "second");
}

void try_links(void)
{
        struct stat link;
        fill("folder/file", "text");
        expect("symlink", SYS(symlink, "folder", "link"), 0);
        expect("symlink: there is one", SYS(symlink, "x", "link"), -EEXIST);
        expect("symlink: to no path", SYS(symlink, "", "x"), -ENOENT);
        check(holds("link/file", "text"), "symlink", "on the way");
        expect("readlink", SYS(readlink, "link", buffer, 100), 6);
        expect("readlink: cut", SYS(readlink, "link", buffer, 3), 3);
        expect("readlink: of a directory", SYS(readlink, "link/", buffer, 3), -EINVAL);
        expect("readlink: no room", SYS(readlink, "link", buffer, 0), -EINVAL);
        lstat("link", &link);
        check((link.mode & S_IFMT) == S_IFLNK && link.size == 6, "lstat", "a link");
        stat("link", &link);
        check((link.mode & S_IFMT) == S_IFDIR, "stat", "what it leads to");
        expect("open: O_NOFOLLOW", open_at("link", O_NOFOLLOW), -ELOOP);
        expect("rmdir: a link", SYS(rmdir, "link"), -ENOTDIR);
        SYS(symlink, "self", "self");
        expect("open: a loop", open_at("self", O_RDONLY), -ELOOP);
        SYS(symlink, "folder/new", "nowhere");
        expect("open: a link to nothing", open_at("nowhere", O_RDONLY), -ENOENT);
        expect("open: the same, O_EXCL", open_at("nowhere", O_CREAT | O_EXCL | O_RDWR), -EEXIST);
        fill("nowhere", "made");
        check(holds("folder/new", "made"), "open: O_CREAT", "where the link leads");
        SYS(unlink, "nowhere");
        SYS(unlink, "self");
        SYS(unlink, "link");
        SYS(unlink, "folder/new");
        SYS(unlink, "folder/file");
}

void try_directories(void)
{
        char was[256], is[256], name[] = "folder/a";
        unsigned seen = 0, entries = 0;
        long size = SYS(getcwd, was, sizeof was);
        check(size == (long)strlen(was) + 1, "getcwd", "%s", was);
        expect("getcwd: no room", SYS(getcwd, is, 3), -ERANGE);
        for (; name[7] < 'a' + 20; name[7]++)
                fill(name, "");
        long fd = open_at("folder", O_RDONLY | O_DIRECTORY);
        expect("read: a directory", SYS(read, fd, buffer, 10), -EISDIR);
        expect("getdents64: no room", SYS(getdents64, fd, buffer, 16), -EINVAL);
        while ((size = SYS(getdents64, fd, buffer, 200)) > 0)
                for (long at = 0; at < size;) {
                        const struct dirent64 *entry = (const void *)(buffer + at);
                        entries++;
                        if (!entry->name[1] && entry->name[0] >= 'a')
                                seen |= 1u << (entry->name[0] - 'a');
                        at += entry->length;
                }
        check(!size && entries == 22 && seen == 0xfffff, "getdents64", "%u entries, %x", entries,
              seen);
        expect("fchdir", SYS(fchdir, fd), 0);
        check(holds("a", ""), "fchdir", "a path begins there");
        expect("chdir: a file", SYS(chdir, "a"), -ENOTDIR);
        SYS(getcwd, is, sizeof is);
        check(strstr(is, PLACE "/folder"), "getcwd", "%s", is);
        expect("chdir", SYS(chdir, ".."), 0);
        SYS(getcwd, is, sizeof is);
        check(!strcmp(is, was), "chdir", "%s", is);
        SYS(close, fd);
        fd = open_at("folder/a", O_RDONLY);
        expect("getdents64: a file", SYS(getdents64, fd, buffer, 200), -ENOTDIR);
        expect("fchdir: a file", SYS(fchdir, fd), -ENOTDIR);
        SYS(close, fd);
        while (name[7]-- > 'a')
                SYS(unlink, name);
        SYS(chdir, "folder");
        expect("rmdir: where we are", SYS(rmdir, "../folder"), 0);
        expect("getcwd: it is gone", SYS(getcwd, is, sizeof is), -ENOENT);
        expect("open: in what is gone", open_at("x", O_CREAT | O_RDWR), -ENOENT);
        expect("chdir: out of it", SYS(chdir, ".."), 0);
}
