/* ext2.h - an ext2 file system of a disk, to be read. */
#ifndef TOLLGATE_UNIX_FS_EXT2_H
#define TOLLGATE_UNIX_FS_EXT2_H

#include "node/node.h"

/* The root of a disk's file system (file/blocks.h). NULL, with a message: nothing here can be
 * read. */
struct node *ext2_root(unsigned disk, uint32_t device);

#endif
