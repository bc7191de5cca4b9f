/* volume.h - the ext2 file system, read-only: its layout on a disk (D. Poirier, "The Second
 * Extended File System"; linux/fs/ext2). It does not know nodes and does not sleep: a function
 * supplies the bytes. All numbers are checked before use: -EUCLEAN for damage, described in
 * `wrong`, or -EIO if the disk does not answer. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "uapi.h"

#define VOLUME_ROOT 2     /* the root directory's inode */
#define VOLUME_BLOCK 4096 /* the largest size */
#define VOLUME_REASON 96  /* end of an error message */
#define INODE_BLOCKS 15   /* 12 direct blocks, then one, two and three levels of tables */
#define INODE_TEXT (INODE_BLOCKS * 4)

/* Reads bytes of a disk to `to`, all of them; false = no answer. */
typedef bool volume_source(const void *disk, uint64_t offset, void *to, size_t size);

struct volume {
        volume_source *source;
        const void *disk;
        uint32_t block; /* block size: 1 << shift */
        unsigned shift;
        uint32_t blocks, first, inodes, groups;
        uint32_t blocks_of_group, inodes_of_group, inode_size;
        bool typed; /* directory entries contain the node's type */
        const char *wrong;
};

struct inode {
        uint32_t number, mode, links, sectors, flags, acl;
        uint64_t size;
        uint32_t times[3]; /* read, written, changed: seconds since 1970 */
        union {
                uint32_t block[INODE_BLOCKS];
                uint8_t text[INODE_TEXT]; /* text of a short link */
        };
};

struct volume_name {
        uint64_t place, next; /* position in its directory */
        uint32_t inode, mode; /* mode: only the type, 0 = unknown */
        unsigned length;
        char text[NAME_MAX + 1];
};

/* Little-endian numbers on a disk, unaligned. */
static inline uint32_t volume_16(const uint8_t *at)
{
        return at[0] | (uint32_t)at[1] << 8;
}

static inline uint32_t volume_32(const uint8_t *at)
{
        return volume_16(at) | volume_16(at + 2) << 16;
}

/* Returns -EUCLEAN, and stores the reason. */
int volume_damaged(struct volume *volume, const char *wrong);

/* Fills the volume from the superblock. False = unreadable, for the `reason`. */
bool volume_open(struct volume *volume, volume_source *source, const void *disk, uint64_t size,
                 char reason[VOLUME_REASON]);
/* Reads an inode. 0 or -errno. */
int volume_inode(struct volume *volume, uint32_t number, struct inode *inode);
/* Reads a file up to the end of a block: the number of bytes, 0 at the end, or -errno. */
long volume_read(struct volume *volume, const struct inode *inode, uint64_t offset, void *to,
                 size_t size);
/* A directory's first name from `place` on; `block` has room for one block. 0, -ENOENT at the end,
 * or -errno. */
int volume_next(struct volume *volume, const struct inode *directory, uint64_t place,
                uint8_t block[VOLUME_BLOCK], struct volume_name *name);
/* Finds a name; results as above. */
int volume_find(struct volume *volume, const struct inode *directory, const char *text,
                uint8_t block[VOLUME_BLOCK], struct volume_name *name);
/* A link's text with a terminating 0. 0 or -errno. */
int volume_link(struct volume *volume, const struct inode *link, char text[PATH_MAX]);
