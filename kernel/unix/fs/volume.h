/*
 * volume.h - the ext2 file system, read only: where things lie on a disk (D. Poirier, "The Second
 * Extended File System"; linux/fs/ext2). Nothing here knows of nodes or sleeps by itself: the bytes
 * come from a function. What is damaged is found out before it is followed: -EUCLEAN, or -EIO where
 * the disk has no answer; `wrong` says what it was.
 */
#ifndef TOLLGATE_UNIX_FS_VOLUME_H
#define TOLLGATE_UNIX_FS_VOLUME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "uapi.h"

#define VOLUME_ROOT 2     /* the root directory's inode */
#define VOLUME_BLOCK 4096 /* the largest there is */
#define VOLUME_REASON 96  /* a sentence's end */
#define INODE_BLOCKS 15   /* 12 blocks, and tables in one, two and three steps */
#define INODE_TEXT (INODE_BLOCKS * 4)

/* Bytes of a disk to `to`, all of them; false = it does not answer. */
typedef bool volume_source(const void *disk, uint64_t offset, void *to, size_t size);

struct volume {
        volume_source *source;
        const void *disk;
        uint32_t block; /* bytes of one: 1 << shift */
        unsigned shift;
        uint32_t blocks, first, inodes, groups;
        uint32_t blocks_of_group, inodes_of_group, inode_size;
        bool typed; /* names say the type of their node */
        const char *wrong;
};

struct inode {
        uint32_t number, mode, links, sectors, flags, acl;
        uint64_t size;
        uint32_t times[3]; /* read, written, changed: seconds since 1970 */
        union {
                uint32_t block[INODE_BLOCKS];
                uint8_t text[INODE_TEXT]; /* of a short link */
        };
};

struct volume_name {
        uint64_t place, next; /* in its directory */
        uint32_t inode, mode; /* mode: its type, 0 = not told */
        unsigned length;
        char text[NAME_MAX + 1];
};

/* As numbers lie on a disk, wherever. */
static inline uint32_t volume_16(const uint8_t *at)
{
        return at[0] | (uint32_t)at[1] << 8;
}

static inline uint32_t volume_32(const uint8_t *at)
{
        return volume_16(at) | volume_16(at + 2) << 16;
}

/* -EUCLEAN, and why. */
int volume_damaged(struct volume *volume, const char *wrong);

/* Fills the volume from the superblock. False = that cannot be read here, and `reason` is why. */
bool volume_open(struct volume *volume, volume_source *source, const void *disk, uint64_t size,
                 char reason[VOLUME_REASON]);
/* 0, or -errno. */
int volume_inode(struct volume *volume, uint32_t number, struct inode *inode);
/* Bytes of a file, up to the end of a block: how many, 0 at its end, or -errno. */
long volume_read(struct volume *volume, const struct inode *inode, uint64_t offset, void *to,
                 size_t size);
/* The first name of a directory from `place` on; `block` is room for one of them. 0, -ENOENT at the
 * end, or -errno. */
int volume_next(struct volume *volume, const struct inode *directory, uint64_t place,
                uint8_t block[VOLUME_BLOCK], struct volume_name *name);
/* The name, if it is there: the same. */
int volume_find(struct volume *volume, const struct inode *directory, const char *text,
                uint8_t block[VOLUME_BLOCK], struct volume_name *name);
/* A link's text with its 0. 0, or -errno. */
int volume_link(struct volume *volume, const struct inode *link, char text[PATH_MAX]);

#endif
