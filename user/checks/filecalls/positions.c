/* positions.c - reads and writes at an offset in the call, and a file's length. */
#include "filecalls.h"

#define AT(pointer) ((long)(uintptr_t)(pointer))
#define HALVES(number) (number), (number) < 0 ? -1 : 0 /* 32-bit programs pass two words */

static long read_at(long fd, size_t size, long position)
{
        return SYS(pread64, fd, buffer, size, HALVES(position));
}

static long write_at(long fd, const void *from, size_t size, long position)
{
        return SYS(pwrite64, fd, from, size, HALVES(position));
}

void try_at_positions(void)
{
        int ends[2];
        fill("file", "0123456789");
        long fd = open_at("file", O_RDWR), zero = open_at("/dev/zero", O_RDWR);
        long in = open_at("file", O_RDONLY), out = open_at("file", O_WRONLY | O_APPEND);
        long folder = open_at(".", O_RDONLY);
        SYS(pipe, ends);
        SYS(lseek, fd, 3, SEEK_SET);
        expect("pread64", read_at(fd, 4, 5), 4);
        check(!memcmp(buffer, "5678", 4), "pread64", "what is there");
        expect("pwrite64", write_at(fd, "ab", 2, 9), 2);
        expect("pwrite64: the position stays", SYS(lseek, fd, 0, SEEK_CUR), 3);
        check(holds("file", "012345678ab"), "pwrite64", "where it was to");
        expect("pread64: to the end", read_at(fd, 10, 9), 2);
        expect("pread64: at the end", read_at(fd, 10, 11), 0);
        expect("pread64: far behind it", read_at(fd, 10, 1 << 30), 0);
        expect("pread64: nothing", read_at(fd, 0, 2), 0);
        expect("pread64: before the start", read_at(fd, 1, -1), -EINVAL);
        expect("pwrite64: before the start", write_at(fd, "x", 1, -1), -EINVAL);
        expect("pread64: before the start of nothing", read_at(63, 1, -1), -EINVAL);
        expect("pread64: nothing open", read_at(63, 1, 0), -EBADF);
        expect("pread64: what is written", read_at(out, 1, 0), -EBADF);
        expect("pwrite64: what is read", write_at(in, "x", 1, 0), -EBADF);
        expect("pread64: a pipe", read_at(ends[0], 1, 0), -ESPIPE);
        expect("pwrite64: a pipe", write_at(ends[1], "x", 1, 0), -ESPIPE);
        expect("pwrite64: the wrong end", write_at(ends[0], "x", 1, 0), -ESPIPE);
        expect("pread64: a directory", read_at(folder, 1, 0), -EISDIR);
        expect("pwrite64: O_APPEND", write_at(out, "c", 1, 0), 1);
        check(holds("file", "012345678abc"), "pwrite64: O_APPEND", "at the end all the same");
        expect("pread64: zeros", read_at(zero, 5000, 77), 5000);
        expect("pwrite64: behind a hole", write_at(fd, "x", 1, 5000), 1);
        expect("pread64: a hole", read_at(fd, 10, 4995), 6);
        check(!memcmp(buffer, "\0\0\0\0\0x", 6), "pread64: a hole", "zeros, then what was written");
        expect("pread64: nowhere", SYS(pread64, fd, 8, 4, HALVES(0)), -EFAULT);
        expect("pwrite64: from nowhere", SYS(pwrite64, fd, 8, 4, HALVES(0)), -EFAULT);
        for (unsigned i = 0; i < 2; i++)
                SYS(close, ends[i]);
        SYS(close, folder);
        SYS(close, out);
        SYS(close, in);
        SYS(close, zero);
        SYS(close, fd);
}

void try_lengths(void)
{
        struct stat is;
        int ends[2];
        fill("file", "0123456789");
        long fd = open_at("file", O_RDWR), in = open_at("file", O_RDONLY);
        long null = open_at("/dev/null", O_RDWR), folder = open_at(".", O_RDONLY);
        SYS(pipe, ends);
        SYS(lseek, fd, 8, SEEK_SET);
        expect("ftruncate", SYS(ftruncate, fd, 4), 0);
        check(holds("file", "0123"), "ftruncate", "shorter");
        expect("ftruncate: the position stays", SYS(lseek, fd, 0, SEEK_CUR), 8);
        expect("ftruncate: longer", SYS(ftruncate, fd, 6), 0);
        expect("ftruncate: what came back", SYS(pread64, fd, buffer, 20, HALVES(0)), 6);
        check(!memcmp(buffer, "0123\0\0", 6), "ftruncate", "zeros");
        memset(buffer, 'y', sizeof buffer);
        SYS(pwrite64, fd, buffer, sizeof buffer, HALVES(0));
        expect("ftruncate: pages", SYS(ftruncate, fd, 4097), 0);
        expect("ftruncate: far", SYS(ftruncate, fd, 3 << 20), 0);
        expect("ftruncate: far", fstat((int)fd, &is), 0);
        check(is.size == 3 << 20, "ftruncate: far", "%lld bytes", (long long)is.size);
        expect("pread64: behind the cut", SYS(pread64, fd, buffer, 4096, HALVES(4096)), 4096);
        check(buffer[0] == 'y' && !buffer[1] && !buffer[4095], "ftruncate", "zeros behind the cut");
        expect("truncate", SYS(truncate, "file", 2), 0);
        check(holds("file", "yy"), "truncate", "shorter");
        expect("truncate: to nothing", SYS(truncate, "file", 0), 0);
        check(holds("file", ""), "truncate", "empty");
        expect("ftruncate: less than nothing", SYS(ftruncate, fd, -1), -EINVAL);
        expect("truncate: less than nothing", SYS(truncate, "no", -1), -EINVAL);
        expect("ftruncate: nothing open", SYS(ftruncate, 63, 0), -EBADF);
        expect("ftruncate: what is read", SYS(ftruncate, in, 0), -EINVAL);
        expect("ftruncate: /dev/null", SYS(ftruncate, null, 0), -EINVAL);
        expect("ftruncate: a directory", SYS(ftruncate, folder, 0), -EINVAL);
        expect("ftruncate: a pipe", SYS(ftruncate, ends[1], 0), -EINVAL);
        expect("truncate: a directory", SYS(truncate, ".", 0), -EISDIR);
        expect("truncate: nothing there", SYS(truncate, "no", 0), -ENOENT);
        expect("truncate: /dev/null", SYS(truncate, "/dev/null", 0), -EINVAL);
        expect("truncate: nowhere", SYS(truncate, 8, 0), -EFAULT);
        if (sizeof(void *) == 4) { /* 32-bit programs have other calls */
                expect("ftruncate64", SYS(ftruncate64, fd, 5, 0), 0);
                expect("truncate64: less than nothing", SYS(truncate64, "file", 0, -1), -EINVAL);
        }
        expect("fsync", SYS(fsync, fd), 0);
        expect("fdatasync", SYS(fdatasync, fd), 0);
        expect("fdatasync: nothing open", SYS(fdatasync, 63), -EBADF);
        expect("fdatasync: a pipe", SYS(fdatasync, ends[1]), -EINVAL);
        expect("fdatasync: /dev/null", SYS(fdatasync, null), -EINVAL);
        for (unsigned i = 0; i < 2; i++)
                SYS(close, ends[i]);
        SYS(close, folder);
        SYS(close, null);
        SYS(close, in);
        SYS(close, fd);
}

void try_sending(void)
{
        int ends[2], full[2];
        long place = 2;
        fill("file", "0123456789");
        fill("other", "");
        long in = open_at("file", O_RDWR), out = open_at("other", O_RDWR);
        long end = open_at("other", O_WRONLY | O_APPEND), only = open_at("file", O_RDONLY);
        SYS(pipe, ends);
        SYS(pipe2, full, O_NONBLOCK);
        expect("sendfile", SYS(sendfile, out, in, AT(&place), 5), 5);
        expect("sendfile: where it has come to", place, 7);
        expect("sendfile: the position stays", SYS(lseek, in, 0, SEEK_CUR), 0);
        expect("sendfile: from the position", SYS(sendfile, out, in, 0, 4), 4);
        expect("sendfile: the position", SYS(lseek, in, 0, SEEK_CUR), 4);
        check(holds("other", "234560123"), "sendfile", "one after the other");
        expect("sendfile: to the end", SYS(sendfile, out, in, 0, 100), 6);
        expect("sendfile: at the end", SYS(sendfile, out, in, 0, 100), 0);
        expect("sendfile: nothing", SYS(sendfile, out, in, 0, 0), 0);
        expect("sendfile: to a pipe", SYS(sendfile, ends[1], in, AT(&place), 100), 3);
        expect("sendfile: through a pipe", SYS(read, ends[0], buffer, 100), 3);
        check(!memcmp(buffer, "789", 3), "sendfile", "what was sent");
        expect("sendfile: from a pipe", SYS(sendfile, out, ends[0], 0, 1), -EINVAL);
        expect("sendfile: from a place in a pipe", SYS(sendfile, out, ends[0], AT(&place), 1),
               -ESPIPE);
        expect("sendfile: to what is read", SYS(sendfile, only, in, 0, 1), -EBADF);
        expect("sendfile: from what is written", SYS(sendfile, out, end, 0, 1), -EBADF);
        expect("sendfile: O_APPEND", SYS(sendfile, end, in, 0, 1), -EINVAL);
        expect("sendfile: from nothing", SYS(sendfile, out, 63, 0, 1), -EBADF);
        expect("sendfile: to nothing", SYS(sendfile, 63, in, 0, 1), -EBADF);
        place = -1;
        expect("sendfile: before the start", SYS(sendfile, out, in, AT(&place), 1), -EINVAL);
        expect("sendfile: from nowhere", SYS(sendfile, out, in, 8, 1), -EFAULT);
        while (SYS(write, full[1], buffer, 4096) > 0)
                ;
        place = 0;
        expect("sendfile: to a full pipe", SYS(sendfile, full[1], in, AT(&place), 4), -EAGAIN);
        expect("sendfile: it has come nowhere", place, 0);
        if (sizeof(void *) == 4) { /* 32-bit programs have another call */
                int64_t wide = 8;
                expect("sendfile64", SYS(sendfile64, out, in, AT(&wide), 100), 2);
                check(wide == 10, "sendfile64", "%lld", (long long)wide);
        }
        for (unsigned i = 0; i < 2; i++) {
                SYS(close, ends[i]);
                SYS(close, full[i]);
        }
        SYS(close, only);
        SYS(close, end);
        SYS(close, out);
        SYS(close, in);
        SYS(unlink, "other");
        SYS(unlink, "file");
}
