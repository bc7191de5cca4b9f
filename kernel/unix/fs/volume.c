/* volume.c - ext2's superblock, inodes, and the blocks of a file. */
#include "fs/volume.h"
#include "errno.h"
#include "lib/printf.h"
#include "lib/string.h"

#define SUPERBLOCK 1024 /* its offset, and its size */
#define MAGIC 0xef53
#define GROUP 32  /* bytes of a group's descriptor */
#define INODE 128 /* size of an inode in revision 0 */
#define DIRECT 12
#define BLOCK_LEAST 1024

#define FEATURE_NAMES_TYPED 0x2

/* Bits of s_feature_incompat, by e2fsprogs' names: a driver must know every set bit to read the
 * volume. */
static const struct {
        uint32_t bit;
        const char *name;
} features[] = {
        {0x1, "compression"},
        {0x4, "needs_recovery"},
        {0x8, "journal_dev"},
        {0x10, "meta_bg"},
        {0x40, "extent"},
        {0x80, "64bit"},
        {0x100, "mmp"},
        {0x200, "flex_bg"},
        {0x400, "ea_inode"},
        {0x1000, "dirdata"},
        {0x2000, "metadata_csum_seed"},
        {0x4000, "large_dir"},
        {0x8000, "inline_data"},
        {0x10000, "encrypt"},
        {0x20000, "casefold"},
};

/* NULL, or the reason: unknown features are named, others given by number. */
static bool refuse_features(uint32_t set, char reason[VOLUME_REASON])
{
        set &= ~(uint32_t)FEATURE_NAMES_TYPED;
        for (size_t i = 0; i < sizeof features / sizeof *features; i++)
                if (set & features[i].bit) {
                        snprintf(reason, VOLUME_REASON, "it has the feature %s, which is not here",
                                 features[i].name);
                        return true;
                }
        if (set)
                snprintf(reason, VOLUME_REASON, "it has features that nobody knows here: %xh", set);
        return set;
}

/* Checks that the numbers are consistent. NULL, or the name of a bad one. */
static const char *check(const struct volume *v, uint32_t block_log, uint64_t size)
{
        if (block_log > 2)
                return "its blocks are larger than 4096 bytes";
        if (v->first != (v->block == BLOCK_LEAST))
                return "its first block is damaged";
        if (v->blocks <= v->first || (uint64_t)v->blocks * v->block > size)
                return "it is longer than its disk";
        if (!v->blocks_of_group || v->blocks_of_group > 8 * v->block)
                return "its groups have no size that could be";
        if (!v->inodes_of_group || v->inodes_of_group > 8 * v->block)
                return "its groups have no number of inodes that could be";
        if (v->inode_size < INODE || v->inode_size > v->block ||
            v->inode_size & (v->inode_size - 1))
                return "its inodes have no size that could be";
        if (v->inodes < VOLUME_ROOT || v->inodes > (uint64_t)v->groups * v->inodes_of_group)
                return "it has more inodes than its groups";
        if ((uint64_t)v->groups * GROUP > (uint64_t)(v->blocks - v->first - 1) * v->block)
                return "its groups' table is longer than it is";
        return NULL;
}

bool volume_open(struct volume *v, volume_source *source, const void *disk, uint64_t size,
                 char reason[VOLUME_REASON])
{
        uint8_t bytes[256];
        *v = (struct volume){.source = source, .disk = disk};
        const char *wrong = size < 2 * SUPERBLOCK ? "it is too small for ext2"
                            : !source(disk, SUPERBLOCK, bytes, sizeof bytes)
                                    ? "its superblock cannot be read"
                            : volume_16(bytes + 56) != MAGIC ? "it has no ext2 superblock"
                                                             : NULL;
        if (wrong) {
                snprintf(reason, VOLUME_REASON, "%s", wrong);
                return false;
        }
        uint32_t revision = volume_32(bytes + 76), block_log = volume_32(bytes + 24);
        v->inodes = volume_32(bytes);
        v->blocks = volume_32(bytes + 4);
        v->first = volume_32(bytes + 20);
        v->shift = 10 + (block_log & 3);
        v->block = 1u << v->shift;
        v->blocks_of_group = volume_32(bytes + 32);
        v->inodes_of_group = volume_32(bytes + 40);
        v->inode_size = revision ? volume_16(bytes + 88) : INODE;
        if (v->blocks_of_group && v->blocks > v->first)
                v->groups = (v->blocks - v->first - 1) / v->blocks_of_group + 1;
        if (revision > 1) {
                snprintf(reason, VOLUME_REASON, "its revision %u is not known here", revision);
                return false;
        }
        if (revision && refuse_features(volume_32(bytes + 96), reason))
                return false;
        v->typed = revision && volume_32(bytes + 96) & FEATURE_NAMES_TYPED;
        wrong = check(v, block_log, size);
        if (wrong)
                snprintf(reason, VOLUME_REASON, "%s", wrong);
        return !wrong;
}

int volume_damaged(struct volume *v, const char *wrong)
{
        v->wrong = wrong;
        return -EUCLEAN;
}

/* Reads bytes of a block, whose number is unchecked. 0 or -errno. */
static int volume_get(struct volume *v, uint32_t block, size_t at, void *to, size_t size)
{
        if (block < v->first || block >= v->blocks)
                return volume_damaged(v, "a block lies outside the file system");
        if (v->source(v->disk, (uint64_t)block * v->block + at, to, size))
                return 0;
        v->wrong = "the disk cannot be read";
        return -EIO;
}

static int check_inode(struct volume *v, const struct inode *inode)
{
        uint32_t type = inode->mode & S_IFMT;
        if (!inode->links)
                return volume_damaged(v, "a name leads to an inode that is not in use");
        if (type != S_IFREG && type != S_IFDIR && type != S_IFLNK && type != S_IFCHR &&
            type != S_IFBLK && type != S_IFIFO && type != S_IFSOCK)
                return volume_damaged(v, "an inode is of no type");
        if ((int64_t)inode->size < 0)
                return volume_damaged(v, "an inode's size is damaged");
        if (type == S_IFDIR &&
            (inode->size & (v->block - 1) || inode->size >> v->shift > v->blocks - v->first))
                return volume_damaged(v, "a directory's size is damaged");
        return 0;
}

int volume_inode(struct volume *v, uint32_t number, struct inode *inode)
{
        uint8_t group[GROUP], bytes[INODE];
        if (!number || number > v->inodes)
                return volume_damaged(v, "a name leads to an inode that there is not");
        uint32_t index = (number - 1) % v->inodes_of_group;
        size_t in_table = (size_t)((number - 1) / v->inodes_of_group) * GROUP;
        size_t place = (size_t)index * v->inode_size;
        int error = volume_get(v, v->first + 1 + (uint32_t)(in_table / v->block),
                               in_table % v->block, group, sizeof group);
        uint32_t table = error ? 0 : volume_32(group + 8);
        if (!error && table >= v->blocks)
                error = volume_damaged(v, "a group's table of inodes lies outside the file system");
        if (!error)
                error = volume_get(v, table + (uint32_t)(place / v->block), place % v->block, bytes,
                                   sizeof bytes);
        if (error)
                return error;
        *inode = (struct inode){
                .number = number,
                .mode = volume_16(bytes),
                .links = volume_16(bytes + 26),
                .sectors = volume_32(bytes + 28),
                .flags = volume_32(bytes + 32),
                .acl = volume_32(bytes + 104),
                .size = volume_32(bytes + 4),
                .times = {volume_32(bytes + 8), volume_32(bytes + 16), volume_32(bytes + 12)}};
        if ((inode->mode & S_IFMT) == S_IFREG)
                inode->size |= (uint64_t)volume_32(bytes + 108) << 32;
        if ((inode->mode & S_IFMT) == S_IFLNK)
                memcpy(inode->text, bytes + 40, INODE_TEXT);
        else
                for (int i = 0; i < INODE_BLOCKS; i++)
                        inode->block[i] = volume_32(bytes + 40 + 4 * i);
        return check_inode(v, inode);
}

/* The inode's block table is where a short link has its text. */
static uint32_t block_in(const struct inode *inode, unsigned index)
{
        return (inode->mode & S_IFMT) == S_IFLNK ? volume_32(inode->text + 4 * index)
                                                 : inode->block[index];
}

/* The disk block of the file's block `index`; 0 = a hole. */
static int find_block(struct volume *v, const struct inode *inode, uint64_t index, uint32_t *block)
{
        uint32_t entries = v->block / 4;
        if (index < DIRECT) {
                *block = block_in(inode, (unsigned)index);
                return 0;
        }
        unsigned steps = 1, shift = v->shift - 2;
        index -= DIRECT;
        while (steps <= 3 && index >> (steps * shift))
                index -= 1ull << (steps++ * shift);
        if (steps > 3)
                return volume_damaged(v, "a file is longer than its blocks can be");
        *block = block_in(inode, DIRECT - 1 + steps);
        while (*block && steps--) {
                uint8_t entry[4];
                size_t at = (size_t)(index >> (steps * shift) & (entries - 1));
                int error = volume_get(v, *block, 4 * at, entry, sizeof entry);
                if (error)
                        return error;
                *block = volume_32(entry);
        }
        return 0;
}

long volume_read(struct volume *v, const struct inode *inode, uint64_t offset, void *to,
                 size_t size)
{
        uint32_t block, at = (uint32_t)(offset & (v->block - 1));
        if (offset >= inode->size)
                return 0;
        if (size > v->block - at)
                size = v->block - at;
        if (size > inode->size - offset)
                size = (size_t)(inode->size - offset);
        int error = find_block(v, inode, offset >> v->shift, &block);
        if (error)
                return error;
        if (!block)
                memset(to, 0, size);
        else
                error = volume_get(v, block, at, to, size);
        return error ? error : (long)size;
}

int volume_link(struct volume *v, const struct inode *link, char text[PATH_MAX])
{
        uint32_t extra = link->acl ? v->block / 512 : 0; /* sectors not used by its text */
        size_t size = (size_t)link->size, done = 0;
        if (!link->size || link->size >= PATH_MAX)
                return volume_damaged(v, "a link's length is damaged");
        if (link->sectors == extra && size < INODE_TEXT) {
                memcpy(text, link->text, size);
                done = size;
        }
        while (done < size) {
                long part = volume_read(v, link, done, text + done, size - done);
                if (part <= 0)
                        return (int)part;
                done += (size_t)part;
        }
        text[size] = 0;
        return strlen(text) == size ? 0 : volume_damaged(v, "a link's text ends before it should");
}
