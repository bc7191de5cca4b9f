/* names.c - system calls with paths: open, and those that change the tree. */
#include "cpu/window.h"
#include "errno.h"
#include "file/file.h"
#include "file/fs.h"
#include "file/path.h"
#include "lib/string.h"
#include "mem/heap.h"
#include "thread/user.h"
#include "calls.h"
#include "process/missing.h"
#include "process/task.h"

/* Its file system is read-only: EROFS precedes all other errors. */
static bool is_read_only(const struct node *node)
{
        return node->kind->refuses == -EROFS;
}

/* Whether an existing node may be opened with these flags. */
static int may_open(const struct node *node, unsigned flags)
{
        bool writes = (flags & O_ACCMODE) != O_RDONLY;
        if (node_is(node, S_IFLNK))
                return flags & O_DIRECTORY
                               ? -ENOTDIR
                               : (int)missing_flags(MISSING_open, flags & O_PATH, -ELOOP);
        if (flags & O_DIRECTORY) {
                if (!node_is(node, S_IFDIR))
                        return -ENOTDIR;
                if (flags & O_TMPFILE && !writes)
                        return -EINVAL;
        }
        if (writes && node_is(node, S_IFDIR))
                return (int)missing_flags(MISSING_open, flags & O_TMPFILE, -EISDIR);
        if ((writes || flags & O_TRUNC) && node_is(node, S_IFREG) && is_read_only(node))
                return -EROFS;
        if ((writes || flags & O_TRUNC) && node->executed)
                return -ETXTBSY;
        return node->kind->file ? 0 : -ENXIO;
}

static __attribute__((noinline)) int empty(struct node *node)
{
        if (node_is(node, S_IFDIR))
                return -EISDIR;
        return node_is(node, S_IFREG) && node->kind->cut ? node->kind->cut(node, 0) : 0;
}

static int open_node(struct path *path, unsigned flags, unsigned mode)
{
        if (flags & O_CREAT) {
                if (flags & O_DIRECTORY)
                        return -EINVAL;
                if (path->slash)
                        return -EISDIR;
                if (!path->node)
                        return path_make(path, S_IFREG | (mode & S_IALLUGO & ~task()->fs->umask),
                                         NULL);
                if (flags & O_EXCL)
                        return -EEXIST;
                if (node_is(path->node, S_IFDIR))
                        return -EISDIR;
        }
        if (!path->node)
                return -ENOENT;
        int error = path_is_meant(path);
        return error ? error : may_open(path->node, flags);
}

/* An open file of the node, or NULL. A file that is emptied is one that may be written already, so
 * nobody can execute it meanwhile. */
static struct file *open_file(struct node *node, unsigned flags, int *error)
{
        static const struct file_kind unopened = {.name = "unopened"};
        const unsigned kept = O_KNOWN & ~(unsigned)(O_CREAT | O_EXCL | O_TRUNC | O_CLOEXEC);
        struct file *file = file_create(node->kind->file, node, flags & kept);
        *error = !file ? -ENOMEM : flags & O_TRUNC ? empty(node) : 0;
        if (!*error && node->kind->open)
                *error = node->kind->open(file);
        if (file && *error) {
                file_become(file, &unopened);
                file_release(file);
        }
        return *error ? NULL : file;
}

long sys_openat(long fd, long text, long how, long mode, AFTER_4)
{
        unsigned flags = (unsigned)how;
        enum last last = (flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL) ? LAST_NAME
                         : flags & O_NOFOLLOW                               ? LAST_LINK
                         : flags & O_CREAT                                  ? LAST_MADE
                                                                            : LAST_TARGET;
        struct file *file = NULL;
        struct path path;
        int error = path_at(&path, fd, text, last), place = error ? error : descriptor_free(0);
        error = place < 0 ? place : open_node(&path, flags, (unsigned)mode);
        if (!error)
                file = open_file(path.node, flags, &error);
        path_release(&path);
        if (error)
                return error;
        return descriptor_give_at(file, (unsigned)place, flags & O_CLOEXEC);
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
        int error = path_at(&path, fd, text, LAST_NAME);
        if (!error)
                error = path_make(
                        &path, S_IFDIR | ((uint32_t)mode & S_IALLUGO & ~task()->fs->umask), NULL);
        path_release(&path);
        return error;
}

long sys_mkdir(long text, long mode, AFTER_2)
{
        return sys_mkdirat(AT_FDCWD, text, mode, 0, 0, 0);
}

/* The root of another file system is mounted there. */
static bool is_mounted_on(const struct path *path)
{
        return path->node && path->node->device != path->directory->device;
}

static int remove_directory(const struct path *path)
{
        if (!strcmp(path->name, "."))
                return -EINVAL;
        if (!*path->name || is_mounted_on(path))
                return -EBUSY;
        if (!node_is(path->node, S_IFDIR))
                return -ENOTDIR;
        return !strcmp(path->name, "..") ? -ENOTEMPTY : 0;
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
        int error = path_at(&path, fd, text, LAST_NAME);
        if (!error && is_read_only(path.directory) && !path_is_special(path.name))
                error = -EROFS;
        if (!error)
                error = path.node ? path_is_meant(&path) : -ENOENT;
        if (!error)
                error = flags & AT_REMOVEDIR ? remove_directory(&path) : remove_file(&path);
        if (!error && !path.directory->kind->remove)
                error = node_refusal(path.directory);
        if (!error)
                error = path.directory->kind->remove(path.directory, path.name, path.node);
        path_release(&path);
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
        for (; node != directory && node != node_root; node = node->parent)
                interrupt_window();
        return node == directory;
}

/* Linux's errors, in its order. */
static int may_rename(const struct path *old, const struct path *new)
{
        if (path_is_special(old->name) || path_is_special(new->name) || is_mounted_on(old) ||
            is_mounted_on(new))
                return -EBUSY;
        if (!old->node)
                return -ENOENT;
        bool directory = node_is(old->node, S_IFDIR);
        if ((old->slash || new->slash) && !directory)
                return -ENOTDIR;
        if (directory && is_below(new->directory, old->node))
                return -EINVAL;
        if (!new->node || new->node == old->node || node_is(new->node, S_IFDIR) == directory)
                return 0;
        return directory ? -ENOTDIR : is_below(old->node, new->node) ? -ENOTEMPTY : -EISDIR;
}

/* Both look-ups ended in directories of one file system. Each may have slept since, so their
 * entries are looked up again. */
static int names_move(struct path *old, struct path *new, bool replaces)
{
        const struct node_kind *kind = old->directory->kind;
        if (!kind->move)
                return kind->uncreated == -ENOENT && !(old->node && new->node)
                               ? -ENOENT
                               : node_refusal(old->directory);
        int error = path_again(old);
        if (!error)
                error = path_again(new);
        if (!error)
                error = may_rename(old, new);
        if (!error && new->node && !replaces)
                error = -EEXIST;
        return error || old->node == new->node ? error
                                               : kind->move(old->directory, old->name, old->node,
                                                            new->directory, new->name);
}

/* Supports only the flag RENAME_NOREPLACE: on Linux not every file system has the others. */
long sys_renameat2(long old_fd, long old_text, long new_fd, long new_text, long flags, AFTER_5)
{
        struct path old, new = {.buffer = NULL};
        if ((unsigned)flags & ~RENAME_NOREPLACE)
                return missing_flags(MISSING_rename, (unsigned)flags & ~RENAME_NOREPLACE, -EINVAL);
        int error = path_at(&old, old_fd, old_text, LAST_NAME);
        if (!error)
                error = path_at(&new, new_fd, new_text, LAST_NAME);
        if (!error)
                error = old.directory->device == new.directory->device
                                ? names_move(&old, &new, !flags)
                                : -EXDEV;
        path_release(&new);
        path_release(&old);
        return error;
}

long sys_renameat(long old_fd, long old_text, long new_fd, long new_text, AFTER_4)
{
        return sys_renameat2(old_fd, old_text, new_fd, new_text, 0, 0);
}

long sys_rename(long old_text, long new_text, AFTER_2)
{
        return sys_renameat(AT_FDCWD, old_text, AT_FDCWD, new_text, 0, 0);
}

static long names_enter(struct node *node)
{
        if (!node_is(node, S_IFDIR))
                return -ENOTDIR;
        node_release(task()->fs->directory);
        task()->fs->directory = node_hold(node);
        return 0;
}

long sys_chdir(long text, AFTER_1)
{
        struct node *node;
        long error = node_at(&node, AT_FDCWD, text, true);
        if (!error)
                error = names_enter(node);
        node_release(node);
        return error;
}

long sys_fchdir(long fd, AFTER_1)
{
        struct file *file = file_of(fd);
        if (!file)
                return -EBADF;
        return file->node ? names_enter(file->node) : -ENOTDIR;
}

long sys_getcwd(long to, long size, AFTER_2)
{
        struct node *directory = task()->fs->directory;
        char *text = heap_allocate(PATH_MAX);
        long result = text ? node_path(directory ? directory : node_root, text) : -ENOMEM;
        size_t needed = result ? 0 : strlen(text) + 1;
        if (!result && (size_t)size < needed)
                result = -ERANGE;
        if (!result)
                result = user_write((uintptr_t)to, text, needed) ? -EFAULT : (long)needed;
        heap_free(text);
        return result;
}

/* On a writable file system root may read and write every file, and execute any that has an execute
 * bit. */
static int may_access(const struct node *node, long mode)
{
        bool executes = node_is(node, S_IFDIR) || node->mode & S_IXUGO;
        bool stored = node_is(node, S_IFDIR) || node_is(node, S_IFREG); /* no device's */
        if (mode & 2 && stored && is_read_only(node))
                return -EROFS;
        return mode & 1 && !executes ? -EACCES : 0;
}

long sys_faccessat2(long fd, long text, long mode, long flags, AFTER_4)
{
        struct node *node;
        if ((unsigned)mode & ~7u ||
            (unsigned)flags & ~(unsigned)(AT_EACCESS | AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH))
                return -EINVAL;
        int error = node_meant(&node, fd, text, flags, !(flags & AT_SYMLINK_NOFOLLOW));
        if (!error)
                error = node ? may_access(node, mode)
                        : mode & X_OK && !(file_of(fd)->kind->mode & S_IXUGO) ? -EACCES
                                                                              : 0;
        node_release(node);
        return error;
}

long sys_faccessat(long fd, long text, long mode, AFTER_3)
{
        return sys_faccessat2(fd, text, mode, 0, 0, 0);
}

long sys_access(long text, long mode, AFTER_2)
{
        return sys_faccessat(AT_FDCWD, text, mode, 0, 0, 0);
}

static long set_mode(struct node *node, long mode)
{
        if (node->kind->refuses)
                return node->kind->refuses;
        node->mode = (node->mode & S_IFMT) | ((uint32_t)mode & S_IALLUGO);
        if (node->kind->touch)
                node->kind->touch(node, 0, NULL);
        return 0;
}

long sys_fchmodat(long fd, long text, long mode, AFTER_3)
{
        struct node *node;
        long error = node_at(&node, fd, text, true);
        if (!error)
                error = set_mode(node, mode);
        node_release(node);
        return error;
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

long sys_umask(long bits, AFTER_1)
{
        unsigned was = task()->fs->umask;
        task()->fs->umask = (unsigned)bits & 0777;
        return (long)was;
}

#define NOT_CHANGED UINT32_MAX

/* A new owner or group clears the set-user-id and set-group-id bits, as on Linux. */
static long set_owner(struct node *node, uint32_t user, uint32_t group)
{
        if (node->kind->refuses)
                return node->kind->refuses;
        if (user != NOT_CHANGED)
                node->user = user;
        if (group != NOT_CHANGED)
                node->group = group;
        if (!node_is(node, S_IFDIR))
                node->mode &= ~(uint32_t)(S_ISUID | (node->mode & S_IXGRP ? S_ISGID : 0));
        if (node->kind->touch)
                node->kind->touch(node, 0, NULL);
        return 0;
}

static long own_at(long fd, long text, long user, long group, long flags)
{
        struct node *node;
        long error = node_meant(&node, fd, text, flags, !(flags & AT_SYMLINK_NOFOLLOW));
        if (!error && node)
                error = set_owner(node, (uint32_t)user, (uint32_t)group);
        node_release(node);
        return error;
}

static long own_open(long fd, long user, long group)
{
        struct file *file = file_of(fd);
        if (!file)
                return -EBADF;
        return file->node ? set_owner(file->node, (uint32_t)user, (uint32_t)group) : 0;
}

long sys_fchownat(long fd, long text, long user, long group, long flags, AFTER_5)
{
        if ((unsigned)flags & ~(unsigned)(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH))
                return -EINVAL;
        return own_at(fd, text, user, group, flags);
}

/* The oldest calls of i386 have 16-bit ids. */
static long names_widened(long id)
{
        return !call_narrow() ? id : (uint16_t)id == UINT16_MAX ? -1 : (uint16_t)id;
}

long sys_chown(long text, long user, long group, AFTER_3)
{
        return own_at(AT_FDCWD, text, names_widened(user), names_widened(group), 0);
}

long sys_lchown(long text, long user, long group, AFTER_3)
{
        return own_at(AT_FDCWD, text, names_widened(user), names_widened(group),
                      AT_SYMLINK_NOFOLLOW);
}

long sys_fchown(long fd, long user, long group, AFTER_3)
{
        return own_open(fd, names_widened(user), names_widened(group));
}

long sys_chown32(long text, long user, long group, AFTER_3)
{
        return own_at(AT_FDCWD, text, user, group, 0);
}

long sys_lchown32(long text, long user, long group, AFTER_3)
{
        return own_at(AT_FDCWD, text, user, group, AT_SYMLINK_NOFOLLOW);
}

long sys_fchown32(long fd, long user, long group, AFTER_3)
{
        return own_open(fd, user, group);
}

/* Only the kernel makes devices: it has created the names of all that it drives. */
static int may_make(uint32_t mode)
{
        switch (mode & S_IFMT) {
        case S_IFREG:
        case S_IFIFO:
        case S_IFSOCK: return 0;
        case S_IFDIR:
        case S_IFCHR:
        case S_IFBLK: return -EPERM;
        default: return -EINVAL;
        }
}

long sys_mknodat(long fd, long text, long how, long device, AFTER_4)
{
        struct path path = {.buffer = NULL};
        uint32_t mode = (uint32_t)how & S_IFMT ? (uint32_t)how : (uint32_t)how | S_IFREG;
        int error = may_make(mode);
        if (!error)
                error = path_at(&path, fd, text, LAST_NAME);
        if (!error)
                error = path_make(&path, (mode & S_IFMT) | (mode & S_IALLUGO & ~task()->fs->umask),
                                  NULL);
        path_release(&path);
        return error;
}

long sys_mknod(long text, long mode, long device, AFTER_3)
{
        return sys_mknodat(AT_FDCWD, text, mode, device, 0, 0);
}
