/* content.c - opens, reads and writes files: sequentially, at any offset, in parts. */
#include "filecalls.h"

void try_open(void)
{
        expect("open: nothing there", open_at("no", O_RDONLY), -ENOENT);
        expect("open: no directory there", open_at("no/file", O_CREAT | O_WRONLY), -ENOENT);
        expect("open: no path", open_at("", O_RDONLY), -ENOENT);
        fill("file", "0123456789");
        check(holds("file", "0123456789"), "open", "what was written is read");
        expect("open: O_EXCL", open_at("file", O_CREAT | O_EXCL | O_RDWR), -EEXIST);
        expect("open: below a file", open_at("file/x", O_RDONLY), -ENOTDIR);
        expect("open: a file with a slash", open_at("file/", O_RDONLY), -ENOTDIR);
        expect("open: O_DIRECTORY", open_at("file", O_DIRECTORY), -ENOTDIR);
        expect("open: a directory to write", open_at(".", O_RDWR), -EISDIR);
        expect("open: a directory to create", open_at(".", O_CREAT | O_RDONLY), -EISDIR);
        memset(buffer, 'x', 300);
        buffer[300] = 0;
        expect("open: a long name", open_at(buffer, O_RDONLY), -ENAMETOOLONG);
        memset(buffer, '/', 5000);
        buffer[5000] = 0;
        expect("open: a long path", open_at(buffer, O_RDONLY), -ENAMETOOLONG);
        long fd = open_at("file", O_RDONLY), other = open_at(".//./file", O_WRONLY | O_APPEND);
        expect("open: the lowest free", other, fd + 1);
        expect("write: to what is read", SYS(write, fd, "x", 1), -EBADF);
        expect("read: what is written", SYS(read, other, buffer, 1), -EBADF);
        expect("write: O_APPEND", SYS(write, other, "ab", 2), 2);
        check(holds("file", "0123456789ab"), "write: O_APPEND", "at the end");
        expect("close", SYS(close, other), 0);
        expect("close: twice", SYS(close, other), -EBADF);
        expect("creat", SYS(creat, "file", 0600), other);
        SYS(close, other);
        check(holds("file", ""), "creat", "an empty file");
        expect("openat", SYS(openat, AT_FDCWD, "file", O_RDONLY, 0), other);
        SYS(close, other);
        expect("openat: a file's directory", SYS(openat, fd, "x", O_RDONLY, 0), -ENOTDIR);
        expect("openat: no descriptor", SYS(openat, 63, "x", O_RDONLY, 0), -EBADF);
        SYS(close, fd);
        long null = open_at("/dev/null", O_RDWR), zero = open_at("/dev/zero", O_RDONLY);
        expect("/dev/null: write", SYS(write, null, buffer, 5000), 5000);
        expect("/dev/null: read", SYS(read, null, buffer, 10), 0);
        expect("/dev/zero: read", SYS(read, zero, buffer, 5000), 5000);
        check(!buffer[0] && !buffer[4999], "/dev/zero", "zeros");
        SYS(close, null);
        SYS(close, zero);
}

void try_busy_text(void)
{
        char *const none[] = {NULL};
        fill("file", "no program");
        long fd = open_at("file", O_RDWR), page;
        SYS(fchmod, fd, 0700);
        expect("execve: open to write", execve("file", none, none), -ETXTBSY);
        page = mmap_file(10, PROT_READ, MAP_SHARED, (int)fd);
        SYS(close, fd);
        expect("execve: mprotect() may let write it", execve("file", none, none), -ETXTBSY);
        SYS(munmap, page, 10);
        expect("execve: no program", execve("file", none, none), -ENOEXEC);
}

void try_positions(void)
{
        fill("file", "0123456789");
        long fd = open_at("file", O_RDWR);
        expect("lseek: from the end", SYS(lseek, fd, -3, SEEK_END), 7);
        expect("lseek: from here", SYS(lseek, fd, 1, SEEK_CUR), 8);
        expect("read: to the end", SYS(read, fd, buffer, 10), 2);
        expect("read: at the end", SYS(read, fd, buffer, 10), 0);
        expect("lseek: before the start", SYS(lseek, fd, -1, SEEK_SET), -EINVAL);
        expect("lseek: nowhere", SYS(lseek, fd, 0, 9), -EINVAL);
        expect("lseek: no descriptor", SYS(lseek, 63, 0, SEEK_SET), -EBADF);
        expect("lseek: far", SYS(lseek, fd, 3 << 20, SEEK_SET), 3 << 20);
        expect("write: behind a hole", SYS(write, fd, "end", 3), 3);
        expect("lseek: into the hole", SYS(lseek, fd, 1 << 20, SEEK_SET), 1 << 20);
        memset(buffer, 'x', sizeof buffer);
        expect("read: a hole", SYS(read, fd, buffer, sizeof buffer), sizeof buffer);
        check(!buffer[0] && !buffer[sizeof buffer - 1], "read: a hole", "zeros");
        SYS(lseek, fd, (3 << 20) - 2, SEEK_SET);
        expect("read: its end", SYS(read, fd, buffer, 10), 5);
        check(!memcmp(buffer, "\0\0end", 5), "read: its end", "zeros, then what was written");
        if (sizeof(void *) == 4) { /* 32-bit programs have another call */
                int64_t position = 0;
                expect("_llseek", SYS(_llseek, fd, 0, 5, &position, SEEK_SET), 0);
                check(position == 5, "_llseek", "%lld", (long long)position);
        }
        SYS(close, fd);
        fd = open_at("file", O_WRONLY | O_TRUNC);
        SYS(lseek, fd, 12, SEEK_SET);
        SYS(write, fd, "x", 1);
        SYS(close, fd);
        check(holds("file", "") == false && !buffer[0] && buffer[12] == 'x', "O_TRUNC",
              "nothing old comes back");
}
