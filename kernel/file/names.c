/*
 * names.c - the system calls that take paths: open, and what changes the tree.
 *
 * No call sleeps while it uses a path's buffer, so there is one of each.
 */
#include "errno.h"
#include "file/calls.h"
#include "file/file.h"
#include "file/fs.h"
#include "lib/string.h"
#include "mem/space.h"
#include "proc/calls.h"

static char first_buffer[PATH_MAX], second_buffer[PATH_MAX];

int path_at(struct path *path, long fd, long text, char buffer[PATH_MAX], bool follow)
{
        struct node *from = cpu_current->fs->directory;
        int error = path_read(buffer, (uintptr_t)text);
        if (error)
                return error;
        if ((int)fd != AT_FDCWD && *buffer != '/') {
                struct file *file = file_of(fd);
                if (!file)
                        return -EBADF;
                if (!file->node)
                        return -ENOTDIR;
                from = file->node;
        }
        return path_walk(path, from, buffer, follow);
}

int node_at(struct node **node, long fd, long text, bool follow)
{
        struct path path;
        int error = path_at(&path, fd, text, first_buffer, follow);
        *node = error ? NULL : path.node;
        return error ? error : path.node ? 0 : -ENOENT;
}

static bool is_dots(const char *name)
{
        return !strcmp(name, ".") || !strcmp(name, "..");
}

/* No name that could be given or taken away. */
static bool is_special(const char *name)
{
        return !*name || is_dots(name);
}

/* Makes a node where the path leads and nothing is. 0 or -errno. */
static int create(struct path *path, uint32_t mode)
{
        if (path->node || is_special(path->name))
                return -EEXIST;
        if (path->slash && (mode & S_IFMT) != S_IFDIR)
                return -ENOENT;
        if (!path->directory->name && path->directory != node_root)
                return -ENOENT; /* a directory that was removed */
        path->node = node_create(path->directory, path->name, mode);
        return path->node ? 0 : -ENOSPC;
}

static int open_node(struct path *path, unsigned flags, unsigned mode)
{
        bool writes = (flags & O_ACCMODE) != O_RDONLY, made = false;
        if (flags & O_CREAT && path->node && flags & O_EXCL)
                return -EEXIST;
        if (flags & O_CREAT && (path->slash || (path->node && node_is(path->node, S_IFDIR))))
                return -EISDIR;
        if (!path->node && !(flags & O_CREAT))
                return -ENOENT;
        if (!path->node) {
                uint32_t bits = mode & S_IALLUGO & ~cpu_current->fs->umask;
                int error = create(path, S_IFREG | bits);
                if (error)
                        return error;
                made = true;
        }
        if (node_is(path->node, S_IFLNK))
                return flags & O_DIRECTORY ? -ENOTDIR : -ELOOP;
        if (flags & O_DIRECTORY && !node_is(path->node, S_IFDIR))
                return -ENOTDIR;
        if (writes && node_is(path->node, S_IFDIR))
                return -EISDIR;
        if (flags & O_TRUNC && !made && node_is(path->node, S_IFREG))
                regular_cut(path->node);
        return 0;
}

long sys_openat(long fd, long text, long how, long mode, AFTER_4)
{
        unsigned flags = (unsigned)how, kept = ~(unsigned)(O_CREAT | O_EXCL | O_TRUNC | O_CLOEXEC);
        struct path path;
        bool follow = !(flags & O_NOFOLLOW) && (flags & (O_CREAT | O_EXCL)) != (O_CREAT | O_EXCL);
        int error = path_at(&path, fd, text, first_buffer, follow);
        if (!error)
                error = open_node(&path, flags, (unsigned)mode);
        if (error)
                return error;
        struct file *file = file_create(path.node->kind, path.node, flags & kept);
        if (!file)
                return -ENOMEM;
        int descriptor = descriptor_add(file, 0, flags & O_CLOEXEC);
        if (descriptor < 0)
                file_release(file);
        return descriptor;
}

long sys_open(long text, long flags, long mode, AFTER_3)
{
        return sys_openat(AT_FDCWD, text, flags, mode, 0, 0);
}

long sys_creat(long text, long mode, AFTER_2)
{
        return sys_openat(AT_FDCWD, text, O_CREAT | O_WRONLY | O_TRUNC, mode, 0, 0);
}

long sys_mkdirat(long fd, long text, long mode, AFTER_3)
{
        struct path path;
        int error = path_at(&path, fd, text, first_buffer, false);
        uint32_t bits = (uint32_t)mode & S_IALLUGO & ~cpu_current->fs->umask;
        return error ? error : create(&path, S_IFDIR | bits);
}

long sys_mkdir(long text, long mode, AFTER_2)
{
        return sys_mkdirat(AT_FDCWD, text, mode, 0, 0, 0);
}

static int remove_directory(const struct path *path)
{
        if (!strcmp(path->name, "."))
                return -EINVAL;
        if (!*path->name)
                return -EBUSY;
        if (!node_is(path->node, S_IFDIR))
                return -ENOTDIR;
        return path->node->first || !strcmp(path->name, "..") ? -ENOTEMPTY : 0;
}

static int remove_file(const struct path *path)
{
        return node_is(path->node, S_IFDIR) ? -EISDIR : 0;
}

long sys_unlinkat(long fd, long text, long flags, AFTER_3)
{
        struct path path;
        if ((unsigned)flags & ~(unsigned)AT_REMOVEDIR)
                return -EINVAL;
        int error = path_at(&path, fd, text, first_buffer, false);
        if (!error && !path.node)
                error = -ENOENT;
        if (!error)
                error = flags & AT_REMOVEDIR ? remove_directory(&path) : remove_file(&path);
        if (!error)
                node_remove(path.node);
        return error;
}

long sys_unlink(long text, AFTER_1)
{
        return sys_unlinkat(AT_FDCWD, text, 0, 0, 0, 0);
}

long sys_rmdir(long text, AFTER_1)
{
        return sys_unlinkat(AT_FDCWD, text, AT_REMOVEDIR, 0, 0, 0);
}

static bool is_below(const struct node *node, const struct node *directory)
{
        while (node != directory && node != node_root)
                node = node->parent;
        return node == directory;
}

/* What Linux answers, in its order. */
static int may_rename(const struct path *old, const struct path *new)
{
        if (is_special(old->name) || is_special(new->name))
                return -EBUSY;
        if (!old->node)
                return -ENOENT;
        bool directory = node_is(old->node, S_IFDIR);
        if ((old->slash || new->slash) && !directory)
                return -ENOTDIR;
        if (directory && is_below(new->directory, old->node))
                return -EINVAL;
        if (!new->directory->name &&new->directory != node_root)
                return -ENOENT;
        if (!new->node || new->node == old->node)
                return 0;
        if (node_is(new->node, S_IFDIR) != directory)
                return directory ? -ENOTDIR : is_below(old->node, new->node) ? -ENOTEMPTY : -EISDIR;
        return new->node->first ? -ENOTEMPTY : 0;
}

long sys_renameat(long old_fd, long old_text, long new_fd, long new_text, AFTER_4)
{
        struct path old, new;
        int error = path_at(&old, old_fd, old_text, first_buffer, false);
        if (!error)
                error = path_at(&new, new_fd, new_text, second_buffer, false);
        if (!error)
                error = may_rename(&old, &new);
        if (error || old.node == new.node)
                return error;
        node_hold(old.node);
        if (new.node)
                node_remove(new.node);
        error = node_move(old.node, new.directory, new.name);
        node_release(old.node);
        return error;
}

long sys_rename(long old, long new, AFTER_2)
{
        return sys_renameat(AT_FDCWD, old, AT_FDCWD, new, 0, 0);
}

long sys_symlinkat(long target, long fd, long text, AFTER_3)
{
        struct path path;
        int error = path_read(second_buffer, (uintptr_t)target);
        if (!error && !*second_buffer)
                error = -ENOENT;
        if (!error)
                error = path_at(&path, fd, text, first_buffer, false);
        if (error)
                return error;
        char *copy = node_text(second_buffer);
        error = copy ? create(&path, S_IFLNK | 0777) : -ENOSPC;
        if (error)
                node_text_free(copy);
        else
                path.node->target = copy;
        return error;
}

long sys_symlink(long target, long text, AFTER_2)
{
        return sys_symlinkat(target, AT_FDCWD, text, 0, 0, 0);
}

long sys_readlinkat(long fd, long text, long to, long size, AFTER_4)
{
        struct node *node;
        if ((int)size <= 0)
                return -EINVAL;
        int error = node_at(&node, fd, text, false);
        if (!error && !node_is(node, S_IFLNK))
                error = -EINVAL;
        if (error)
                return error;
        size_t length = strlen(node->target), part = (unsigned)size;
        if (part > length)
                part = length;
        return user_write((uintptr_t)to, node->target, part) ? -EFAULT : (long)part;
}

long sys_readlink(long text, long to, long size, AFTER_3)
{
        return sys_readlinkat(AT_FDCWD, text, to, size, 0, 0);
}

static long enter(struct node *node)
{
        if (!node_is(node, S_IFDIR))
                return -ENOTDIR;
        node_hold(node);
        node_release(cpu_current->fs->directory);
        cpu_current->fs->directory = node;
        return 0;
}

long sys_chdir(long text, AFTER_1)
{
        struct node *node;
        int error = node_at(&node, AT_FDCWD, text, true);
        return error ? error : enter(node);
}

long sys_fchdir(long fd, AFTER_1)
{
        struct file *file = file_of(fd);
        if (!file)
                return -EBADF;
        return file->node ? enter(file->node) : -ENOTDIR;
}

long sys_getcwd(long to, long size, AFTER_2)
{
        struct node *directory = cpu_current->fs->directory;
        int error = node_path(directory ? directory : node_root, first_buffer);
        if (error)
                return error;
        size_t needed = strlen(first_buffer) + 1;
        if ((size_t)size < needed)
                return -ERANGE;
        return user_write((uintptr_t)to, first_buffer, needed) ? -EFAULT : (long)needed;
}

/* Root may read and write everything, and execute what anybody may. */
long sys_faccessat(long fd, long text, long mode, AFTER_3)
{
        struct node *node;
        if ((unsigned)mode & ~7u)
                return -EINVAL;
        int error = node_at(&node, fd, text, true);
        if (error)
                return error;
        bool executes = node_is(node, S_IFDIR) || node->mode & S_IXUGO;
        return mode & 1 && !executes ? -EACCES : 0;
}

long sys_access(long text, long mode, AFTER_2)
{
        return sys_faccessat(AT_FDCWD, text, mode, 0, 0, 0);
}

static long set_mode(struct node *node, long mode)
{
        node->mode = (node->mode & S_IFMT) | ((uint32_t)mode & S_IALLUGO);
        return 0;
}

long sys_fchmodat(long fd, long text, long mode, AFTER_3)
{
        struct node *node;
        int error = node_at(&node, fd, text, true);
        return error ? error : set_mode(node, mode);
}

long sys_chmod(long text, long mode, AFTER_2)
{
        return sys_fchmodat(AT_FDCWD, text, mode, 0, 0, 0);
}

long sys_fchmod(long fd, long mode, AFTER_2)
{
        struct file *file = file_of(fd);
        if (!file)
                return -EBADF;
        return file->node ? set_mode(file->node, mode) : 0;
}

long sys_umask(long mask, AFTER_1)
{
        unsigned was = cpu_current->fs->umask;
        cpu_current->fs->umask = (unsigned)mask & 0777;
        return (long)was;
}
