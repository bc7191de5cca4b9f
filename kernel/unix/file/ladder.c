/* ladder.c - a read from kernel space, in several steps (A. Rubini, "Kernel System Calls", Linux
 * Magazine, 2000). The buffer is the kernel's, so the address limit is lifted. */
#include "file/ladder.h"
#include "errno.h"
#include "file/file.h"
#include "thread/user.h"
#include "calls.h"
#include "process/limit.h"

uint8_t ladder_buffer[LADDER_ROOM];

#define HERE ((uintptr_t)ladder_buffer)

/* Separate functions, so that no other code is between the stamps. */
typedef uint32_t timed_read(long fd, struct file *file, size_t size);

static __attribute__((noinline)) uint32_t nothing(long fd, struct file *file, size_t size)
{
        return LADDER_TIME();
}

static __attribute__((noinline)) uint32_t by_sys_read(long fd, struct file *file, size_t size)
{
        return LADDER_TIME(sys_read(fd, (long)HERE, (long)size, 0, 0, 0));
}

static __attribute__((noinline)) uint32_t by_file_read(long fd, struct file *file, size_t size)
{
        return LADDER_TIME(file->kind->read(file, HERE, size));
}

static __attribute__((noinline)) uint32_t by_cached(long fd, struct file *file, size_t size)
{
        transfer *read = file->kind->read;
        return LADDER_TIME(read(file, HERE, size));
}

/* Reads once more, untimed, for the result. */
static long time_reads(const struct ladder *ask, timed_read *read, struct file *file)
{
        uint64_t position = file->position;
        for (long i = 0; i < ask->count; i++) {
                uint32_t ticks = read(ask->fd, file, (size_t)ask->size);
                file->position = position;
                if (user_put(user_element((uintptr_t)ask->to, (size_t)i, sizeof ticks), &ticks))
                        return -EFAULT;
        }
        long done = sys_read(ask->fd, (long)HERE, ask->size, 0, 0, 0);
        file->position = position;
        return done;
}

long ladder_read(const struct ladder *ask)
{
        static timed_read *const rungs[LADDER_RUNGS] = {
                [LADDER_NOTHING] = nothing,
                [LADDER_SYS_READ] = by_sys_read,
                [LADDER_FILE_READ] = by_file_read,
                [LADDER_CACHED] = by_cached,
        };
        struct file *file = file_of(ask->fd);
        if (!file || file->read == file_refuses)
                return -EBADF;
        if ((unsigned long)ask->rung >= LADDER_RUNGS || (unsigned long)ask->size > LADDER_ROOM ||
            !file->kind->read)
                return -EINVAL;
        uintptr_t limit = limit_get();
        limit_set(LIMIT_NONE);
        file_hold(file);
        long done = time_reads(ask, rungs[ask->rung], file);
        file_release(file);
        limit_set(limit);
        return done;
}
