/* cut.c - the length of a regular file: truncate(), ftruncate(). */
#include "errno.h"
#include "file/file.h"
#include "file/path.h"
#include "calls.h"

static long cut(struct node *node, int64_t size)
{
        if (!node_is(node, S_IFREG))
                return -EINVAL;
        if (node->executed)
                return -ETXTBSY;
        if (node->kind->cut)
                return node->kind->cut(node, (uint64_t)size);
        return node->kind->refuses ? node->kind->refuses : -EINVAL;
}

static long cut_at(long text, int64_t size)
{
        struct node *node;
        if (size < 0)
                return -EINVAL;
        long error = node_at(&node, AT_FDCWD, text, true);
        if (!error)
                error = node_is(node, S_IFDIR) ? -EISDIR : cut(node, size);
        node_release(node);
        return error;
}

static long cut_open(long fd, int64_t size)
{
        struct file *file = file_of(fd);
        if (size < 0)
                return -EINVAL;
        if (!file)
                return -EBADF;
        if (!file->node || file->write == file_refuses)
                return -EINVAL;
        file_hold(file);
        long error = cut(file->node, size);
        file_release(file);
        return error;
}

long sys_truncate(long text, long size, AFTER_2)
{
        return cut_at(text, call_narrow() ? (int32_t)size : size);
}

long sys_ftruncate(long fd, long size, AFTER_2)
{
        return cut_open(fd, call_narrow() ? (int32_t)size : size);
}

/* 32-bit programs */
long sys_truncate64(long text, long low, long high, AFTER_3)
{
        return cut_at(text, call_wide(low, high));
}

long sys_ftruncate64(long fd, long low, long high, AFTER_3)
{
        return cut_open(fd, call_wide(low, high));
}
