/* links.c - symbolic and hard links. */
#include "errno.h"
#include "file/file.h"
#include "file/fs.h"
#include "file/path.h"
#include "lib/string.h"
#include "mem/heap.h"
#include "thread/user.h"
#include "calls.h"
#include "process/task.h"

long sys_symlinkat(long target_text, long fd, long text, AFTER_3)
{
        struct path path = {.buffer = NULL};
        char *copy = heap_allocate(PATH_MAX);
        int error = copy ? path_read(copy, (uintptr_t)target_text) : -ENOMEM;
        if (!error && !*copy)
                error = -ENOENT;
        if (!error)
                error = path_at(&path, fd, text, LAST_NAME);
        if (!error)
                error = path_make(&path, S_IFLNK | 0777, copy);
        path_release(&path);
        heap_free(copy);
        return error;
}

long sys_symlink(long target_text, long text, AFTER_2)
{
        return sys_symlinkat(target_text, AT_FDCWD, text, 0, 0, 0);
}

static int link_to(struct node *node, const struct path *path)
{
        const struct node_kind *kind = path->directory->kind;
        if (path->node || path_is_special(path->name))
                return -EEXIST;
        if (path->slash || kind->uncreated == -ENOENT)
                return -ENOENT;
        if (kind->refuses == -EROFS)
                return -EROFS;
        if (!node || path->directory->device != node->device)
                return -EXDEV;
        return node_is(node, S_IFDIR) || !kind->link
                       ? -EPERM
                       : kind->link(path->directory, path->name, node);
}

long sys_linkat(long old_fd, long old_text, long new_fd, long new_text, long flags, AFTER_5)
{
        struct node *node;
        struct path path = {.buffer = NULL};
        if ((unsigned)flags & ~(unsigned)(AT_SYMLINK_FOLLOW | AT_EMPTY_PATH))
                return -EINVAL;
        int error = node_meant(&node, old_fd, old_text, flags, flags & AT_SYMLINK_FOLLOW);
        if (!error)
                error = path_at(&path, new_fd, new_text, LAST_NAME);
        if (!error)
                error = link_to(node, &path);
        path_release(&path);
        node_release(node);
        return error;
}

long sys_link(long old_text, long new_text, AFTER_2)
{
        return sys_linkat(AT_FDCWD, old_text, AT_FDCWD, new_text, 0, 0);
}

static long read_link(struct node *link, uintptr_t to, size_t size)
{
        char *text = heap_allocate(PATH_MAX);
        long error = text ? link->kind->target(link, text) : -ENOMEM;
        size_t length = error ? 0 : strlen(text), part = length < size ? length : size;
        if (!error && user_write(to, text, part))
                error = -EFAULT;
        heap_free(text);
        return error ? error : (long)part;
}

long sys_readlinkat(long fd, long text, long to, long size, AFTER_4)
{
        struct node *node;
        if ((int)size <= 0)
                return -EINVAL;
        if (path_is_empty(text, AT_EMPTY_PATH) && (int)fd != AT_FDCWD && !file_of(fd))
                return -EBADF;
        long result = node_at(&node, fd, text, false);
        if (!result)
                result = node_is(node, S_IFLNK) ? read_link(node, (uintptr_t)to, (unsigned)size)
                                                : -EINVAL;
        node_release(node);
        return result;
}

long sys_readlink(long text, long to, long size, AFTER_3)
{
        return sys_readlinkat(AT_FDCWD, text, to, size, 0, 0);
}
