/* calls.c - the system calls on open files. */
#include "errno.h"
#include "file/directory.h"
#include "file/file.h"
#include "node/node.h"
#include "mem/space.h"
#include "thread/user.h"
#include "calls.h"
#include "uapi.h"
#include "process/task.h"
#include "process/missing.h"

long file_transfer(struct file *file, uintptr_t at, size_t size, transfer *act)
{
        if (!user_inside(at, size))
                return file_failure(act, -EFAULT);
        return act(file, at, size < TRANSFER_MOST ? size : TRANSFER_MOST);
}

/* Another thread may close the file while this one sleeps in it. */
static __attribute__((noinline)) long transfer_unusual(long fd, long at, long size, bool writes)
{
        struct file *file = file_of(fd);
        if (!file)
                return -EBADF;
        file_hold(file);
        long done =
                file_transfer(file, (uintptr_t)at, (size_t)size, writes ? file->write : file->read);
        file_release(file);
        return done;
}

/* Whether a read or write of this size and place needs no check. */
static inline __attribute__((always_inline)) bool is_usual(long at, long size)
{
        return (size_t)size <= TRANSFER_MOST && user_inside((uintptr_t)at, (size_t)size);
}

/* The file of a descriptor of any kind. */
static inline __attribute__((always_inline)) struct file *look(const struct files *files,
                                                               unsigned index)
{
        if (index < FILES_NEAR)
                return files->near.of[index];
        return index < FILES ? files->far[index / FILES_NEAR - 1]->of[index % FILES_NEAR] : NULL;
}

/* The file was closed meanwhile, so this thread must release it. */
static __attribute__((noinline)) long release_after(long done)
{
        struct file *file = task()->transfers;
        task()->holds = false;
        task()->transfers = NULL;
        file_release(file);
        return done;
}

/* A read or write, by the shortest path that its bounds, its descriptor and sharing allow. A file
 * that another thread may close is not held, which would take longer: close() sees that it is in
 * use and leaves the release to this thread (descriptor.c). FORGET keeps the compiler from saving
 * registers on the shortest path for the others. */
#define FORGET __asm__ volatile("" : : : "memory")
#define TRANSFER(act, writes)                                                                      \
        struct file *file;                                                                         \
        if (__builtin_expect((unsigned)fd < FILES_NEAR && task()->files->users == 1, 1)) {         \
                if (!is_usual(at, size))                                                           \
                        return transfer_unusual(fd, at, size, writes);                             \
                file = task()->files->near.of[(unsigned)fd];                                       \
                return __builtin_expect(file != NULL, 1)                                           \
                               ? file->act(file, (uintptr_t)at, (size_t)size)                      \
                               : -EBADF;                                                           \
        }                                                                                          \
        FORGET;                                                                                    \
        if (!is_usual(at, size))                                                                   \
                return transfer_unusual(fd, at, size, writes);                                     \
        FORGET;                                                                                    \
        file = look(task()->files, (unsigned)fd);                                                  \
        if (!file)                                                                                 \
                return -EBADF;                                                                     \
        task()->transfers = file;                                                                  \
        long done = file->act(file, (uintptr_t)at, (size_t)size);                                  \
        if (__builtin_expect(task()->holds, 0))                                                    \
                return release_after(done);                                                        \
        task()->transfers = NULL;                                                                  \
        return done;

long sys_read(long fd, long at, long size, AFTER_3)
{
        TRANSFER(read, false)
}

long sys_write(long fd, long at, long size, AFTER_3)
{
        TRANSFER(write, true)
}

static long tell_waiting(const struct file *file, uintptr_t argument)
{
        bool regular = file->node && node_is(file->node, S_IFREG);
        long count = file->kind->waiting ? file->kind->waiting(file)
                     : regular           ? (long)(node_facts(file->node).size - file->position)
                                         : -ENOTTY;
        int32_t told = (int32_t)count;
        return count < 0 && !regular ? count : user_put(argument, &told);
}

static long answer_request(long fd, struct file *file, uint32_t request, uintptr_t argument)
{
        int32_t on;
        switch (request) {
        case FIOCLEX:
        case FIONCLEX: return sys_fcntl(fd, F_SETFD, request == FIOCLEX, 0, 0, 0);
        case FIONBIO:
        case FIOASYNC:
                if (user_get(&on, argument))
                        return -EFAULT;
                if (request == FIOASYNC)
                        return on ? -ENOTTY : 0;
                file->flags = (file->flags & ~O_NONBLOCK) | (on ? O_NONBLOCK : 0);
                return 0;
        default:
                if (file->kind->ioctl)
                        return file->kind->ioctl(file, request, argument);
                return request == FIONREAD ? tell_waiting(file, argument) : -ENOTTY;
        }
}

long sys_ioctl(long fd, long request, long argument, AFTER_3)
{
        struct file *file = file_of(fd);
        if (!file)
                return -EBADF;
        enum missing what = file->kind->ioctl ? MISSING_device
                            : file->node      ? MISSING_file
                                              : MISSING_channel;
        long result = answer_request(fd, file, (uint32_t)request, (uintptr_t)argument);
        const int error = file->kind->no_request;
        return result == -ENOTTY ? missing_request(what, (uint32_t)request, error ? error : result)
                                 : result;
}

/* Nobody moves the position meanwhile. */
static struct file *settled_file_of(long fd)
{
        struct file *file;
        do
                file = file_of(fd);
        while (file && file_waits(file));
        return file;
}

static int64_t calls_seek(long fd, int64_t offset, long whence)
{
        struct file *file = settled_file_of(fd);
        if (!file)
                return -EBADF;
        if ((unsigned)whence > SEEK_HOLE)
                return -EINVAL;
        if (file->kind->seek)
                return file->kind->seek(file, offset, (int)whence);
        return file_type(file) ? -ESPIPE : 0; /* an eventfd or epoll: no type, always at 0 */
}

long sys_lseek(long fd, long offset, long whence, AFTER_3)
{
        int64_t position = calls_seek(fd, call_narrow() ? (int32_t)offset : offset, whence);
        return call_narrow() && position > INT32_MAX ? -EOVERFLOW : (long)position;
}

long sys__llseek(long fd, long high, long low, long to, long whence, AFTER_5)
{
        int64_t position = calls_seek(fd, (int64_t)((uint64_t)high << 32 | (uint32_t)low), whence);
        if (position < 0)
                return (long)position;
        return user_put((uintptr_t)to, &position);
}

long sys_getdents64(long fd, long to, long size, AFTER_3)
{
        struct file *file = settled_file_of(fd);
        if (!file)
                return -EBADF;
        if (!file->node || !file->node->kind->list)
                return -ENOTDIR;
        return directory_read(file, (uintptr_t)to, (unsigned)size);
}

/* Files are in memory, so nothing waits to be written. Only files that store data accept the
 * call. */
long sys_sync(AFTER_0)
{
        return 0;
}

long sys_fsync(long fd, AFTER_1)
{
        struct file *file = file_of(fd);
        if (!file)
                return -EBADF;
        if (!file->node)
                return -EINVAL;
        const struct node_kind *kind = file->node->kind;
        bool keeps = kind->read || kind->cut || kind->create || kind->refuses == -EROFS;
        return keeps && kind->refuses != -EPERM ? 0 : -EINVAL;
}

long sys_fdatasync(long fd, AFTER_1)
{
        return sys_fsync(fd, 0, 0, 0, 0, 0);
}

/* Advice on a file in memory changes nothing. */
long sys_fadvise64_64(long fd, long b, long c, long low, long high, long advice)
{
        const struct file *file = file_of(fd);
        if (!file)
                return -EBADF;
        if (file_type(file) == S_IFIFO)
                return -ESPIPE;
        return call_wide(low, high) < 0 || (unsigned)advice > POSIX_FADV_NOREUSE ? -EINVAL : 0;
}

long sys_fadvise64(long fd, long b, long c, long d, long e, AFTER_5)
{
        return call_narrow() ? sys_fadvise64_64(fd, 0, 0, d, 0, e)
                             : sys_fadvise64_64(fd, 0, 0, c, 0, d);
}

long sys_readahead(long fd, long b, long size, AFTER_3)
{
        const struct file *file = file_of(fd);
        if (!file || file->read == file_refuses)
                return -EBADF;
        if (file_type(file) != S_IFREG && file_type(file) != S_IFBLK)
                return -EINVAL;
        return !call_narrow() && size < 0 ? -EINVAL : 0;
}
