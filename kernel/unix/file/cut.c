/* cut.c - length and space of a regular file: truncate(), ftruncate(), fallocate(). */
#include "cpu/window.h"
#include "errno.h"
#include "file/file.h"
#include "file/path.h"
#include "lib/string.h"
#include "calls.h"
#include "process/missing.h"

static long cut_file(struct node *node, int64_t size)
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
                error = node_is(node, S_IFDIR) ? -EISDIR : cut_file(node, size);
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
        long error = cut_file(file->node, size);
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

/* Allocates the file's missing pages there, so that a write finds room. Without room it has its old
 * length again, unless others have written meanwhile. */
static long file_allocate(struct node *node, bool grows, uint64_t at, uint64_t end)
{
        const uint64_t was = node_facts(node).size;
        long error = grows && end > was ? cut_file(node, (int64_t)end) : 0;
        const struct facts grown = node_facts(node);
        at &= ~(uint64_t)(PAGE_SIZE - 1);
        for (; !error && at < end && at < node_facts(node).size; at += PAGE_SIZE)
                error = !node->kind->frame(node, at) ? -ENOSPC : work_goes_on() ? 0 : -EINTR;
        const struct facts facts = node_facts(node);
        if (error == -ENOSPC && end > was && !node->mapped && !memcmp(&facts, &grown, sizeof facts))
                cut_file(node, (int64_t)was);
        return error;
}

long sys_fallocate(long fd, long how, long c, long d, long e, long f)
{
        const int64_t at = call_wide(c, d), size = call_narrow() ? call_wide(e, f) : d;
        unsigned mode = (unsigned)how;
        struct file *file = file_of(fd);
        if (!file)
                return -EBADF;
        if (at < 0 || size <= 0)
                return -EINVAL;
        if (mode & ~FALLOC_FL_KEEP_SIZE)
                return missing_flags(MISSING_fallocate, mode & ~FALLOC_FL_KEEP_SIZE, -EOPNOTSUPP);
        if (file->write == file_refuses)
                return -EBADF;
        if (file_type(file) != S_IFREG)
                return file_type(file) == S_IFIFO ? -ESPIPE : -ENODEV;
        if (size > INT64_MAX - at)
                return -EFBIG;
        if (!file->node->kind->frame)
                return -EOPNOTSUPP;
        file_hold(file);
        long error = file_allocate(file->node, !mode, (uint64_t)at, (uint64_t)(at + size));
        file_release(file);
        return error;
}
