/* stat.c - stat() in Linux's three structures (asm/stat.h). */
#include "errno.h"
#include "file/file.h"
#include "file/fs.h"
#include "file/path.h"
#include "thread/user.h"
#include "calls.h"
#include "process/task.h"

/* Values for the structures: of a node, or of a pipe's end, which has none. */
struct known {
        uint32_t on, number, mode, user, group;
        struct facts facts;
};

#define TIMES (2 * NODE_TIMES) /* seconds and nanoseconds of each */

/* struct stat of amd64 */
struct stat_wide {
        uint64_t dev, ino, nlink;
        uint32_t mode, uid, gid, pad;
        uint64_t rdev;
        int64_t size, blksize, blocks;
        int64_t times[TIMES], unused[3];
};
_Static_assert(sizeof(struct stat_wide) == 144, "stat");

/* struct stat64 of i386 */
struct stat_64 {
        uint64_t dev;
        uint32_t pad_8, ino_32, mode, nlink, uid, gid;
        uint64_t rdev;
        uint32_t pad_40;
        int64_t size;
        uint32_t blksize;
        uint64_t blocks;
        uint32_t times[TIMES];
        uint64_t ino;
} __attribute__((packed));
_Static_assert(sizeof(struct stat_64) == 96, "stat64");

/* struct stat of i386 */
struct stat_narrow {
        uint32_t dev, ino;
        uint16_t mode, nlink, uid, gid;
        uint32_t rdev, size, blksize, blocks;
        uint32_t times[TIMES], unused[2];
};
_Static_assert(sizeof(struct stat_narrow) == 64, "stat of i386");

static uint64_t blocks_of(const struct known *known)
{
        return (known->facts.size + 511) / 512;
}

static int put_wide(const struct known *known, uintptr_t to)
{
        struct stat_wide out = {.dev = known->on,
                                .ino = known->number,
                                .nlink = known->facts.links,
                                .mode = known->mode,
                                .uid = known->user,
                                .gid = known->group,
                                .rdev = known->facts.device,
                                .size = (int64_t)known->facts.size,
                                .blksize = PAGE_SIZE,
                                .blocks = (int64_t)blocks_of(known)};
        for (unsigned i = 0; i < NODE_TIMES; i++) {
                out.times[2 * i] = known->facts.times[i].seconds;
                out.times[2 * i + 1] = known->facts.times[i].nanoseconds;
        }
        return user_put(to, &out);
}

static int put_64(const struct known *known, uintptr_t to)
{
        struct stat_64 out = {.dev = known->on,
                              .ino_32 = known->number,
                              .mode = known->mode,
                              .nlink = known->facts.links,
                              .uid = known->user,
                              .gid = known->group,
                              .rdev = known->facts.device,
                              .size = (int64_t)known->facts.size,
                              .blksize = PAGE_SIZE,
                              .blocks = blocks_of(known),
                              .ino = known->number};
        for (unsigned i = 0; i < NODE_TIMES; i++) {
                out.times[2 * i] = (uint32_t)known->facts.times[i].seconds;
                out.times[2 * i + 1] = known->facts.times[i].nanoseconds;
        }
        return user_put(to, &out);
}

static int put_narrow(const struct known *known, uintptr_t to)
{
        struct stat_narrow out = {.dev = known->on,
                                  .ino = known->number,
                                  .mode = (uint16_t)known->mode,
                                  .nlink = (uint16_t)known->facts.links,
                                  .uid = (uint16_t)known->user,
                                  .gid = (uint16_t)known->group,
                                  .rdev = known->facts.device,
                                  .size = (uint32_t)known->facts.size,
                                  .blksize = PAGE_SIZE,
                                  .blocks = (uint32_t)blocks_of(known)};
        for (unsigned i = 0; i < NODE_TIMES; i++) {
                out.times[2 * i] = (uint32_t)known->facts.times[i].seconds;
                out.times[2 * i + 1] = known->facts.times[i].nanoseconds;
        }
        return known->facts.size > INT32_MAX ? -EOVERFLOW : user_put(to, &out);
}

typedef int put(const struct known *known, uintptr_t to);

static put *stat_native(void)
{
        return call_narrow() ? put_narrow : put_wide;
}

static long put_node(struct node *node, long to, put *form)
{
        const struct known known = {node->device, node->number, node->mode,
                                    node->user,   node->group,  node_facts(node)};
        return form(&known, (uintptr_t)to);
}

static long stat_at(long fd, long text, long to, bool follow, put *form)
{
        struct node *node;
        long error = node_at(&node, fd, text, follow);
        if (!error)
                error = put_node(node, to, form);
        node_release(node);
        return error;
}

static long stat_open(long fd, long to, put *form)
{
        struct file *file = file_of(fd);
        if (!file)
                return -EBADF;
        const struct known pipe = {
                .number = file->number, .mode = file->kind->mode, .facts.links = 1};
        if (!file->node)
                return form(&pipe, (uintptr_t)to);
        file_hold(file);
        long error = put_node(file->node, to, form);
        file_release(file);
        return error;
}

long sys_stat(long text, long to, AFTER_2)
{
        return stat_at(AT_FDCWD, text, to, true, stat_native());
}

long sys_lstat(long text, long to, AFTER_2)
{
        return stat_at(AT_FDCWD, text, to, false, stat_native());
}

long sys_fstat(long fd, long to, AFTER_2)
{
        return stat_open(fd, to, stat_native());
}

long sys_stat64(long text, long to, AFTER_2)
{
        return stat_at(AT_FDCWD, text, to, true, put_64);
}

long sys_lstat64(long text, long to, AFTER_2)
{
        return stat_at(AT_FDCWD, text, to, false, put_64);
}

long sys_fstat64(long fd, long to, AFTER_2)
{
        return stat_open(fd, to, put_64);
}

/* newfstatat, or fstatat64 of 32-bit programs. */
long sys_fstatat(long fd, long text, long to, long flags, AFTER_4)
{
        put *form = call_narrow() ? put_64 : put_wide;
        struct node *here = task()->fs->directory; /* NULL = / */
        if ((unsigned)flags &
            ~(unsigned)(AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | AT_EMPTY_PATH | AT_STATX_SYNC_TYPE))
                return -EINVAL;
        if (path_is_empty(text, flags))
                return (int)fd == AT_FDCWD ? put_node(here ? here : node_root, to, form)
                                           : stat_open(fd, to, form);
        return stat_at(fd, text, to, !(flags & AT_SYMLINK_NOFOLLOW), form);
}
