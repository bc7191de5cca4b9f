/* tree.c - the root in memory, filled from the initrd, and the file systems mounted below it. */
#include "fs/tree.h"
#include "machine/console.h"
#include "file/blocks.h"
#include "file/mounts.h"
#include "file/path.h"
#include "node/quota.h"
#include "fs/dev.h"
#include "fs/ext2.h"
#include "fs/proc.h"
#include "fs/pts.h"
#include "fs/ram.h"
#include "lib/string.h"

static struct node *find(struct node *directory, const char *name)
{
        struct node *found = NULL;
        directory->kind->find(directory, name, &found);
        node_release(found); /* still referenced by its directory */
        return found;
}

/* The directory of this name, created if missing; NULL if it is another kind of node, or there is
 * no room. */
static struct node *make_directory(struct node *in, const char *name)
{
        struct node *node = find(in, name);
        if (!node) {
                struct ram *made = ram_add(in, name, S_IFDIR | 0755);
                return made ? &made->node : NULL;
        }
        return node_is(node, S_IFDIR) ? node : NULL;
}

static bool fill_entry(const struct initrd_file *file)
{
        char name[PATH_MAX], *at = name, *slash;
        struct node *directory = node_root;
        memcpy(name, file->name, strlen(file->name) + 1);
        for (; directory && (slash = strchr(at, '/')); at = slash + 1) {
                *slash = 0;
                if (*at)
                        directory = make_directory(directory, at);
        }
        if (!directory || strlen(at) > NAME_MAX)
                return false;
        if (!*at || find(directory, at))
                return true;
        struct ram *made = ram_add(directory, at, file->mode & (S_IFMT | S_IALLUGO));
        if (!made)
                return false;
        if (node_is(&made->node, S_IFLNK)) {
                if (file->size >= PATH_MAX)
                        return false;
                memcpy(name, file->data, file->size);
                name[file->size] = 0;
                return (made->target = quota_text(name));
        }
        if (node_is(&made->node, S_IFREG)) {
                made->image = file->data;
                made->image_size = file->size;
                made->size = file->size;
        }
        return true;
}

/* A directory in a file system that may be mounted already; NULL as make_directory(). */
static struct node *tree_place(const char *path)
{
        char name[PATH_MAX], *at = name, *slash;
        struct node *in = node_root;
        memcpy(name, path, strlen(path) + 1);
        for (; in && (slash = strchr(at, '/')); at = slash + 1) {
                *slash = 0;
                in = make_directory(in, at);
                if (in && in->mounted)
                        in = in->mounted;
        }
        return in ? make_directory(in, at) : NULL;
}

/* st_dev: 1 for the root, then one number for each mounted file system. */
static bool mount_all(uint32_t *device)
{
        static const struct {
                const char *path; /* absolute path */
                struct node *(*root)(uint32_t device);
                struct mount told;
        } mounts[] = {
                {"dev", dev_root, {"devtmpfs", "devtmpfs", MAGIC_MEMORY, NULL, false}},
                {"dev/pts", pts_root, {"devpts", "devpts", MAGIC_PTS, NULL, false}},
                {"proc", proc_root, {"proc", "proc", MAGIC_PROC, NULL, false}},
        };
        for (uint32_t i = 0; i < sizeof mounts / sizeof *mounts; i++) {
                struct node *directory = tree_place(mounts[i].path);
                struct node *root = directory ? mounts[i].root(++*device) : NULL;
                if (!root || !node_mount(root, directory))
                        return false;
                struct mount told = mounts[i].told;
                told.root = root;
                mounts_add(&told);
        }
        return true;
}

/* Mounts the readable disks: hda at /disk, hdb at /diskb, and so on. */
static bool mount_disks(uint32_t *device)
{
        static const char *const paths[DISKS] = {"disk", "diskb", "diskc", "diskd"};
        static const char *const names[DISKS] = {"/dev/hda", "/dev/hdb", "/dev/hdc", "/dev/hdd"};
        for (unsigned i = 0; i < DISKS; i++) {
                struct node *root = disk_size(i) ? ext2_root(i, ++*device) : NULL;
                struct node *directory = root ? tree_place(paths[i]) : NULL;
                if (root && (!directory || !node_mount(root, directory)))
                        return false;
                if (root)
                        mounts_add(&(struct mount){names[i], "ext2", MAGIC_EXT2, root, true});
                if (root)
                        say("%s: %s, %llu KiB; its ext2 is at /%s.\n", disk_name(i), disk_model(i),
                            (unsigned long long)(disk_size(i) >> 10), paths[i]);
        }
        return true;
}

const char *tree_make(const struct initrd *initrd)
{
        struct initrd_file file;
        uint32_t device = 1;
        node_root = ram_root(device);
        if (!node_root)
                return "there is no memory for it";
        node_root->parent = node_root;
        mounts_add(&(struct mount){"rootfs", "tmpfs", MAGIC_MEMORY, node_root, false});
        for (size_t at = 0; initrd_next(initrd, &at, &file);)
                if (!fill_entry(&file))
                        return "an entry has no place in the tree";
        if (!mount_all(&device) || !mount_disks(&device) || !make_directory(node_root, "tmp") ||
            !tree_place("dev/shm"))
                return "there is no place for /dev, /proc, /disk and /tmp, or for what is in /dev";
        return NULL;
}
