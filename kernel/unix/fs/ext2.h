/* ext2.h - an ext2 file system of a disk, to be read. */
#ifndef TOLLGATE_UNIX_FS_EXT2_H
#define TOLLGATE_UNIX_FS_EXT2_H

#include "node/node.h"

/* The root of what is on a disk (file/blocks.h). NULL, and said why: nothing that can be read here.
 */
struct node *ext2_root(unsigned disk, uint32_t device);

#endif
