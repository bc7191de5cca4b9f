/* descriptor.c - the descriptors of a process, and the calls on them. */
#include "errno.h"
#include "file/file.h"
#include "file/node.h"
#include "lib/string.h"
#include "mem/heap.h"
#include "proc/calls.h"
#include "uapi.h"

#define SETTABLE (O_APPEND | O_NONBLOCK)

/* As Linux's first program finds them, but a terminal's halves: 0 can only be read, 1 and 2 only
 * be written. */
struct files *files_create(struct node *console)
{
        struct files *files = heap_allocate(sizeof *files);
        struct file *in = file_create(&console_kind, console, O_RDONLY);
        struct file *out = file_create(&console_kind, console, O_WRONLY);
        if (!files || !in || !out) {
                if (in)
                        file_release(in);
                if (out)
                        file_release(out);
                heap_free(files);
                return NULL;
        }
        file_hold(out);
        *files = (struct files){.users = 1, .of = {in, out, out}};
        return files;
}

struct files *files_copy(const struct files *from)
{
        struct files *files = heap_allocate(sizeof *files);
        if (!files)
                return NULL;
        *files = *from;
        files->users = 1;
        for (unsigned i = 0; i < FILES; i++)
                if (files->of[i])
                        file_hold(files->of[i]);
        return files;
}

static void drop(struct files *files, unsigned descriptor)
{
        struct file *file = files->of[descriptor];
        files->of[descriptor] = NULL;
        files->close_on_exec &= ~(1ull << descriptor);
        if (file)
                file_release(file);
}

void files_release(struct files *files)
{
        if (!files || --files->users)
                return;
        for (unsigned i = 0; i < FILES; i++)
                drop(files, i);
        heap_free(files);
}

void files_exec(struct files *files)
{
        for (unsigned i = 0; i < FILES; i++)
                if (files->close_on_exec >> i & 1)
                        drop(files, i);
}

struct file *file_of(long descriptor)
{
        unsigned index = (unsigned)descriptor;
        return index < FILES ? cpu_current->files->of[index] : NULL;
}

static void set_close_on_exec(struct files *files, unsigned descriptor, bool on)
{
        files->close_on_exec &= ~(1ull << descriptor);
        files->close_on_exec |= (uint64_t)on << descriptor;
}

int descriptor_add(struct file *file, unsigned least, bool close_on_exec)
{
        struct files *files = cpu_current->files;
        if (least >= FILES)
                return -EINVAL;
        for (unsigned i = least; i < FILES; i++)
                if (!files->of[i]) {
                        files->of[i] = file;
                        set_close_on_exec(files, i, close_on_exec);
                        return (int)i;
                }
        return -EMFILE;
}

static long duplicate(struct file *file, unsigned least, bool close_on_exec)
{
        int descriptor = descriptor_add(file, least, close_on_exec);
        if (descriptor >= 0)
                file_hold(file);
        return descriptor;
}

static long duplicate_to(long from, long to, bool close_on_exec)
{
        struct files *files = cpu_current->files;
        struct file *file = file_of(from);
        unsigned index = (unsigned)to;
        if (!file || index >= FILES)
                return -EBADF;
        file_hold(file);
        drop(files, index);
        files->of[index] = file;
        set_close_on_exec(files, index, close_on_exec);
        return (long)index;
}

long sys_close(long fd, AFTER_1)
{
        if (!file_of(fd))
                return -EBADF;
        drop(cpu_current->files, (unsigned)fd);
        return 0;
}

long sys_dup(long fd, AFTER_1)
{
        struct file *file = file_of(fd);
        return file ? duplicate(file, 0, false) : -EBADF;
}

long sys_dup2(long from, long to, AFTER_2)
{
        if ((int)from == (int)to)
                return file_of(from) ? (int)to : -EBADF;
        return duplicate_to(from, to, false);
}

long sys_dup3(long from, long to, long flags, AFTER_3)
{
        if ((int)from == (int)to || (unsigned)flags & ~(unsigned)O_CLOEXEC)
                return -EINVAL;
        return duplicate_to(from, to, (unsigned)flags & O_CLOEXEC);
}

long sys_fcntl(long fd, long command, long argument, AFTER_3)
{
        struct files *files = cpu_current->files;
        struct file *file = file_of(fd);
        if (!file)
                return -EBADF;
        switch ((unsigned)command) {
        case F_DUPFD: return duplicate(file, (unsigned)argument, false);
        case F_DUPFD_CLOEXEC: return duplicate(file, (unsigned)argument, true);
        case F_GETFD: return files->close_on_exec >> (unsigned)fd & 1;
        case F_SETFD: set_close_on_exec(files, (unsigned)fd, argument & FD_CLOEXEC); return 0;
        case F_GETFL: return (long)file->flags;
        case F_SETFL:
                file->flags = (file->flags & ~SETTABLE) | ((unsigned)argument & SETTABLE);
                return 0;
        default: return -EINVAL;
        }
}

long sys_fcntl64(long fd, long command, long argument, long d, long e, long f)
{
        return sys_fcntl(fd, command, argument, d, e, f);
}
