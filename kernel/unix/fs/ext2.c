/* ext2.c - the nodes of an ext2 file system. Each look-up makes its own node, so two sleeping
 * look-ups may reach the same file. Their copies of the inode stay valid, because the disk is never
 * written. Damage is reported on the console, a few times. */
#include "fs/ext2.h"
#include "machine/console.h"
#include "errno.h"
#include "file/blocks.h"
#include "file/file.h"
#include "node/quota.h"
#include "fs/volume.h"
#include "lib/string.h"
#include "mem/heap.h"
#include "calls.h"

#define SAID_MOST 16     /* messages about one volume */
#define NODES_MOST 16384 /* a directory of a damaged disk may contain itself: paths do not end */
#define PLACE_BASE 3     /* offset of directory positions: `.` is 1, `..` is 2 */

static struct mounted {
        struct volume volume;
        unsigned disk, said;
} volumes[DISKS];
static unsigned nodes;

struct ext2 {
        struct node node;
        struct mounted *on;
        struct inode inode;
};

static const struct node_kind directory_node, file_node, link_node, other_node;

static struct ext2 *ext2_of(const struct node *node)
{
        return (struct ext2 *)node;
}

static bool source(const void *disk, uint64_t offset, void *to, size_t size)
{
        return disk_read(((const struct mounted *)disk)->disk, offset, to, size) == (long)size;
}

/* The result of a look-up; damage is reported. */
static int ext2_answer(struct mounted *on, const struct inode *inode, int error)
{
        if ((error == -EUCLEAN || error == -EIO) && on->said++ < SAID_MOST)
                say("%s: ext2, inode %u: %s.\n", disk_name(on->disk), inode->number,
                    on->volume.wrong);
        return error;
}

static const struct node_kind *kind_of(uint32_t mode)
{
        switch (mode & S_IFMT) {
        case S_IFDIR: return &directory_node;
        case S_IFREG: return &file_node;
        case S_IFLNK: return &link_node;
        default: return &other_node;
        }
}

/* Makes a node for this inode, with one user. 0 or -errno. */
static int ext2_make(struct mounted *on, uint32_t number, uint32_t device, struct ext2 **made)
{
        if (nodes >= NODES_MOST)
                return -ENFILE;
        struct ext2 *ext2 = heap_allocate(sizeof *ext2);
        if (!ext2)
                return -ENOMEM;
        ext2->inode.number = number;
        int error = ext2_answer(on, &ext2->inode, volume_inode(&on->volume, number, &ext2->inode));
        if (error) {
                heap_free(ext2);
                return error;
        }
        ext2->on = on;
        ext2->node = (struct node){.users = 1,
                                   .mode = ext2->inode.mode,
                                   .number = number,
                                   .device = device,
                                   .kind = kind_of(ext2->inode.mode)};
        nodes++;
        *made = ext2;
        return 0;
}

static void free_node(struct node *node)
{
        quota_text_free(node->name);
        heap_free(node);
        nodes--;
}

struct node *ext2_root(unsigned disk, uint32_t device)
{
        struct mounted *on = &volumes[disk];
        struct ext2 *root = NULL;
        char reason[VOLUME_REASON];
        on->disk = disk;
        if (!volume_open(&on->volume, source, on, disk_size(disk), reason))
                say("%s: not mounted: %s.\n", disk_name(disk), reason);
        else if (!ext2_make(on, VOLUME_ROOT, device, &root) && !node_is(&root->node, S_IFDIR)) {
                say("%s: not mounted: its root is no directory.\n", disk_name(disk));
                free_node(&root->node);
                return NULL;
        }
        return root ? &root->node : NULL;
}

static void ext2_stat(struct node *node, struct facts *facts)
{
        facts->links = ext2_of(node)->inode.links;
        facts->size = ext2_of(node)->inode.size;
        for (unsigned i = 0; i < NODE_TIMES; i++)
                facts->times[i].seconds = (int32_t)ext2_of(node)->inode.times[i];
}

static int make_named(struct node *directory, const struct volume_name *name, struct node **found)
{
        struct ext2 *ext2;
        int error = ext2_make(ext2_of(directory)->on, name->inode, directory->device, &ext2);
        if (error)
                return error;
        ext2->node.name = quota_name(name->text);
        if (!ext2->node.name) {
                free_node(&ext2->node);
                return -ENOMEM;
        }
        ext2->node.parent = node_hold(directory);
        *found = &ext2->node;
        return 0;
}

static int ext2_find(struct node *directory, const char *text, struct node **found)
{
        struct mounted *on = ext2_of(directory)->on;
        struct inode *inode = &ext2_of(directory)->inode;
        struct volume_name name;
        uint8_t *block = heap_allocate(VOLUME_BLOCK);
        int error = block ? volume_find(&on->volume, inode, text, block, &name) : -ENOMEM;
        heap_free(block);
        return error ? ext2_answer(on, inode, error) : make_named(directory, &name, found);
}

static int ext2_list(struct node *directory, uint64_t place, struct listed *next)
{
        struct mounted *on = ext2_of(directory)->on;
        struct inode *inode = &ext2_of(directory)->inode;
        struct volume_name name;
        uint64_t from = place < PLACE_BASE ? 0 : place - PLACE_BASE;
        uint8_t *block = heap_allocate(VOLUME_BLOCK);
        int error = block ? volume_next(&on->volume, inode, from, block, &name) : -ENOMEM;
        heap_free(block);
        if (error)
                return ext2_answer(on, inode, error);
        next->place = PLACE_BASE + name.next;
        next->number = name.inode;
        next->mode = name.mode;
        memcpy(next->name, name.text, name.length + 1);
        return 0;
}

static void ext2_space(struct node *node, struct space *space)
{
        const struct volume *volume = &ext2_of(node)->on->volume;
        *space = (struct space){
                .block = volume->block, .blocks = volume->blocks, .names = volume->inodes};
}

static const struct node_kind directory_node = {.space = ext2_space,
                                                .file = &directory_kind,
                                                .refuses = -EROFS,
                                                .stat = ext2_stat,
                                                .free = free_node,
                                                .find = ext2_find,
                                                .list = ext2_list};

static int ext2_target(struct node *link, char text[PATH_MAX])
{
        struct ext2 *ext2 = ext2_of(link);
        return ext2_answer(ext2->on, &ext2->inode,
                           volume_link(&ext2->on->volume, &ext2->inode, text));
}

static const struct node_kind link_node = {
        .refuses = -EROFS, .stat = ext2_stat, .free = free_node, .target = ext2_target};

static long ext2_read(struct node *node, uint64_t offset, void *to, size_t size)
{
        struct ext2 *ext2 = ext2_of(node);
        long done = volume_read(&ext2->on->volume, &ext2->inode, offset, to, size);
        if (done < 0)
                ext2_answer(ext2->on, &ext2->inode, (int)done);
        return done;
}

/* EOVERFLOW, unless the caller can hold a size of 64 bits: by its width, or by O_LARGEFILE. */
static int ext2_open(struct file *file)
{
        bool narrow = call_narrow() && !(file->flags & O_LARGEFILE);
        return narrow && ext2_of(file->node)->inode.size > INT32_MAX ? -EOVERFLOW : 0;
}

static const struct file_kind file_kind = {"ext2", .read = file_read_node, .seek = file_seek_node};
static const struct node_kind file_node = {.file = &file_kind,
                                           .open = ext2_open,
                                           .refuses = -EROFS,
                                           .stat = ext2_stat,
                                           .free = free_node,
                                           .read = ext2_read};
static const struct node_kind other_node = {
        .refuses = -EROFS, .stat = ext2_stat, .free = free_node};
