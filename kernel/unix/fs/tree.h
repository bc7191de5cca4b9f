/* tree.h - the tree that programs find: the root, and what is mounted below it. */
#ifndef TOLLGATE_UNIX_FS_TREE_H
#define TOLLGATE_UNIX_FS_TREE_H

#include "fs/initrd.h"

/* Makes the root, /tmp, what the archive holds, and mounts the others. NULL, or a sentence. */
const char *tree_make(const struct initrd *initrd);

#endif
