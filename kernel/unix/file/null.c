/* null.c - /dev/null, /dev/zero and /dev/full. */
#include "cpu/window.h"
#include "errno.h"
#include "file/file.h"
#include "thread/user.h"

static long read_nothing(struct file *file, uintptr_t to, size_t size)
{
        (void)file, (void)to, (void)size;
        return 0;
}

static long read_zeros(struct file *file, uintptr_t to, size_t size)
{
        static const uint8_t zeros[PAGE_SIZE];
        (void)file;
        if (!size)
                return 0;
        for (size_t done = 0; done < size;) {
                size_t part = size - done < sizeof zeros ? size - done : sizeof zeros;
                if (user_write(to + done, zeros, part))
                        return done ? (long)done : -EFAULT;
                done += part;
                if (done < size && !work_goes_on())
                        return (long)done;
        }
        return (long)size;
}

static long null_write(struct file *file, uintptr_t from, size_t size)
{
        (void)file, (void)from;
        return (long)size;
}

static long write_nowhere(struct file *file, uintptr_t from, size_t size)
{
        (void)file, (void)from, (void)size;
        return -ENOSPC;
}

static int64_t null_seek(struct file *file, int64_t offset, int whence)
{
        (void)file, (void)offset, (void)whence;
        return 0;
}

const struct file_kind null_kind = {"null", .read = read_nothing, .write = null_write,
                                    .seek = null_seek};
const struct file_kind zero_kind = {"zero", .read = read_zeros, .write = null_write,
                                    .seek = null_seek};
const struct file_kind full_kind = {"full", .read = read_zeros, .write = write_nowhere,
                                    .seek = null_seek};
