/* null.c - /dev/null, /dev/zero and /dev/full. */
#include "cpu/window.h"
#include "errno.h"
#include "file/file.h"
#include "thread/user.h"

static long read_nothing(struct file *file, uintptr_t to, size_t size)
{
        return 0;
}

static long read_zeros(struct file *file, uintptr_t to, size_t size)
{
        static const uint8_t zeros[PAGE_SIZE];
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
        return (long)size;
}

static long write_nowhere(struct file *file, uintptr_t from, size_t size)
{
        return -ENOSPC;
}

const struct file_kind null_kind = {"null", .read = read_nothing, .write = null_write,
                                    .seek = file_seek_nowhere};
const struct file_kind zero_kind = {"zero", .read = read_zeros, .write = null_write,
                                    .seek = file_seek_nowhere};
const struct file_kind full_kind = {"full", .read = read_zeros, .write = write_nowhere,
                                    .seek = file_seek_nowhere};
