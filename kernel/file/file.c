/* file.c - open files. */
#include "file/file.h"
#include "errno.h"
#include "file/node.h"
#include "mem/heap.h"
#include "proc/thread.h"

long file_refuses(struct file *file, uintptr_t at, size_t size)
{
        (void)file, (void)at, (void)size;
        return -EBADF;
}

long file_broken(void)
{
        struct signal_info info = {.signal = SIGPIPE, .code = SI_USER, .sender = cpu_current->pid};
        signal_send(cpu_current, &info);
        return -EPIPE;
}

static long cannot(struct file *file, uintptr_t at, size_t size)
{
        (void)file, (void)at, (void)size;
        return -EINVAL;
}

void file_become(struct file *file, const struct file_kind *kind)
{
        unsigned mode = file->flags & O_ACCMODE;
        file->kind = kind;
        file->read = mode == O_WRONLY ? file_refuses : kind->read ? kind->read : cannot;
        file->write = mode == O_RDONLY ? file_refuses : kind->write ? kind->write : cannot;
}

struct file *file_create(const struct file_kind *kind, struct node *node, unsigned flags)
{
        struct file *file = heap_allocate(sizeof *file);
        if (!file)
                return NULL;
        if (node)
                node_hold(node);
        *file = (struct file){.users = 1, .flags = flags, .node = node};
        file_become(file, kind);
        return file;
}

void file_close(struct file *file)
{
        if (file->kind->close)
                file->kind->close(file);
        node_release(file->node);
        heap_free(file);
}

bool file_wait(struct file *file, struct waiters *waiters)
{
        file_hold(file);
        bool woken = wait_on(waiters);
        file_release(file);
        return woken;
}
