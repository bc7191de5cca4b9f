/* tree.h - the tree of programs: the root, and the mounts below it. */
#ifndef TOLLGATE_UNIX_FS_TREE_H
#define TOLLGATE_UNIX_FS_TREE_H

#include "fs/initrd.h"

/* Makes the root, /tmp and the archive's files, and mounts the others. NULL, or a sentence. */
const char *tree_make(const struct initrd *initrd);

#endif
