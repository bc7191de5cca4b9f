/* mounts.c - statfs(): a file system's size and kind, in Linux's three structures. */
#include "file/mounts.h"
#include "errno.h"
#include "file/file.h"
#include "file/path.h"
#include "lib/string.h"
#include "thread/user.h"
#include "calls.h"

#define MOUNTS 8 /* /, /dev, /dev/pts, /proc, and four disks */

static struct mount mounts[MOUNTS];
static unsigned count;

void mounts_add(const struct mount *mount)
{
        mounts[count++] = *mount;
}

const struct mount *mounts_at(unsigned n)
{
        return n < count ? &mounts[n] : NULL;
}

/* struct statfs of amd64; then statfs64 and statfs of i386 */
struct statfs_wide {
        int64_t type, block;
        uint64_t blocks, free, available, names, names_free;
        uint32_t id[2];
        int64_t name, fragment, flags, spare[4];
};
struct statfs_64 {
        uint32_t type, block;
        uint64_t blocks, free, available, names, names_free;
        uint32_t id[2], name, fragment, flags, spare[4];
} __attribute__((packed));
struct statfs_narrow {
        uint32_t type, block, blocks, free, available, names, names_free, id[2], name, fragment,
                flags, spare[4];
};
_Static_assert(sizeof(struct statfs_wide) == 120 && sizeof(struct statfs_64) == 84 &&
                       sizeof(struct statfs_narrow) == 64,
               "statfs");

struct known {
        uint32_t magic, device;
        struct space space;
        bool read_only;
};

typedef long put(const struct known *known, uintptr_t to);

static long put_wide(const struct known *k, uintptr_t to)
{
        const struct space *s = &k->space;
        const struct statfs_wide out = {k->magic, s->block, s->blocks,     s->free,
                                        s->free,  s->names, s->names_free, {k->device, 0},
                                        NAME_MAX, s->block, k->read_only,  {0}};
        return user_put(to, &out);
}

static long put_64(const struct known *k, uintptr_t to)
{
        const struct space *s = &k->space;
        const struct statfs_64 out = {k->magic, s->block, s->blocks,     s->free,
                                      s->free,  s->names, s->names_free, {k->device, 0},
                                      NAME_MAX, s->block, k->read_only,  {0}};
        return user_put(to, &out);
}

static long put_narrow(const struct known *k, uintptr_t to)
{
        const struct space *s = &k->space;
        const struct statfs_narrow out = {k->magic,
                                          s->block,
                                          (uint32_t)s->blocks,
                                          (uint32_t)s->free,
                                          (uint32_t)s->free,
                                          (uint32_t)s->names,
                                          (uint32_t)s->names_free,
                                          {k->device, 0},
                                          NAME_MAX,
                                          s->block,
                                          k->read_only,
                                          {0}};
        return (s->blocks | s->names) >> 32 ? -EOVERFLOW : user_put(to, &out);
}

static long tell_node(const struct node *node, uintptr_t to, put *form)
{
        struct known known = {.device = node->device, .space.block = PAGE_SIZE};
        for (unsigned i = 0; i < count; i++) {
                const struct mount *m = &mounts[i];
                if (m->root->device != node->device)
                        continue;
                known.magic = m->magic;
                known.read_only = m->read_only;
                if (m->root->kind->space)
                        m->root->kind->space(m->root, &known.space);
        }
        if (!known.magic) /* it is in no file system: an open pipe */
                known.magic = MAGIC_PIPES;
        return form(&known, to);
}

static long mounts_tell(long text, uintptr_t to, put *form)
{
        struct node *node;
        long error = node_at(&node, AT_FDCWD, text, true);
        if (!error)
                error = tell_node(node, to, form);
        node_release(node);
        return error;
}

static long tell_open(long fd, uintptr_t to, put *form)
{
        const struct file *file = file_of(fd);
        if (!file)
                return -EBADF;
        if (file->node)
                return tell_node(file->node, to, form);
        const struct known known = {.magic = (file->kind->mode & S_IFMT) == S_IFSOCK ? MAGIC_SOCKETS
                                                                                     : MAGIC_PIPES,
                                    .space.block = PAGE_SIZE};
        return form(&known, to);
}

static put *mounts_native(void)
{
        return call_narrow() ? put_narrow : put_wide;
}

long sys_statfs(long text, long to, AFTER_2)
{
        return mounts_tell(text, (uintptr_t)to, mounts_native());
}

long sys_fstatfs(long fd, long to, AFTER_2)
{
        return tell_open(fd, (uintptr_t)to, mounts_native());
}

long sys_statfs64(long text, long size, long to, AFTER_3)
{
        return size == sizeof(struct statfs_64) ? mounts_tell(text, (uintptr_t)to, put_64)
                                                : -EINVAL;
}

long sys_fstatfs64(long fd, long size, long to, AFTER_3)
{
        return size == sizeof(struct statfs_64) ? tell_open(fd, (uintptr_t)to, put_64) : -EINVAL;
}
