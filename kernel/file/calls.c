/* calls.c - the system calls on open files. */
#include "cpu/window.h"
#include "errno.h"
#include "file/directory.h"
#include "file/file.h"
#include "file/node.h"
#include "mem/space.h"
#include "mem/user.h"
#include "proc/calls.h"
#include "uapi.h"

/* Another thread may close the file while this one sleeps in it. */
long file_transfer(struct file *file, uintptr_t at, size_t size, transfer *act)
{
        if (!user_inside(at, size))
                return act == file_refuses ? -EBADF : -EFAULT;
        file_hold(file);
        long done = act(file, at, size < TRANSFER_MOST ? size : TRANSFER_MOST);
        file_release(file);
        return done;
}

static __attribute__((noinline)) long read_unusual(long fd, long to, long size)
{
        struct file *file = file_of(fd);
        return file ? file_transfer(file, (uintptr_t)to, (size_t)size, file->read) : -EBADF;
}

static __attribute__((noinline)) long write_unusual(long fd, long from, long size)
{
        struct file *file = file_of(fd);
        return file ? file_transfer(file, (uintptr_t)from, (size_t)size, file->write) : -EBADF;
}

/* The file of a near descriptor, if there is nothing that a read or write of it must look out for,
 * and nobody else has the same descriptors; else NULL. */
static inline __attribute__((always_inline)) struct file *usual(long fd, uintptr_t at, size_t size)
{
        const struct files *files = cpu_current->files;
        if ((unsigned)fd >= FILES_NEAR || files->users != 1 || size > TRANSFER_MOST ||
            !user_inside(at, size))
                return NULL;
        return files->near.of[(unsigned)fd];
}

long sys_read(long fd, long to, long size, AFTER_3)
{
        struct file *file = usual(fd, (uintptr_t)to, (size_t)size);
        return __builtin_expect(file != NULL, 1) ? file->read(file, (uintptr_t)to, (size_t)size)
                                                 : read_unusual(fd, to, size);
}

long sys_write(long fd, long from, long size, AFTER_3)
{
        struct file *file = usual(fd, (uintptr_t)from, (size_t)size);
        return __builtin_expect(file != NULL, 1) ? file->write(file, (uintptr_t)from, (size_t)size)
                                                 : write_unusual(fd, from, size);
}

long sys_ioctl(long fd, long request, long argument, AFTER_3)
{
        struct file *file = file_of(fd);
        if (!file)
                return -EBADF;
        return file->kind->ioctl
                       ? file->kind->ioctl(file, (unsigned long)request, (uintptr_t)argument)
                       : -ENOTTY;
}

static int64_t seek(long fd, int64_t offset, long whence)
{
        struct file *file = file_of(fd);
        if (!file)
                return -EBADF;
        if ((unsigned)whence > SEEK_END)
                return -EINVAL;
        return file->kind->seek ? file->kind->seek(file, offset, (int)whence) : -ESPIPE;
}

long sys_lseek(long fd, long offset, long whence, AFTER_3)
{
        int64_t position = seek(fd, call_narrow() ? (int32_t)offset : offset, whence);
        return call_narrow() && position > INT32_MAX ? -EOVERFLOW : (long)position;
}

long sys__llseek(long fd, long high, long low, long to, long whence, AFTER_5)
{
        int64_t position = seek(fd, (int64_t)((uint64_t)high << 32 | (uint32_t)low), whence);
        if (position < 0)
                return (long)position;
        return user_put((uintptr_t)to, &position);
}

long sys_getdents64(long fd, long to, long size, AFTER_3)
{
        struct file *file = file_of(fd);
        if (!file)
                return -EBADF;
        if (!file->node || !file->node->kind->list)
                return -ENOTDIR;
        return directory_read(file, (uintptr_t)to, (unsigned)size);
}

/* Memory is all there is: nothing waits to be written. Only what keeps something can be asked. */
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
