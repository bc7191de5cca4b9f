/* tree.h - the file tree: the root, and the mounts below it. */
#ifndef TOLLGATE_UNIX_FS_TREE_H
#define TOLLGATE_UNIX_FS_TREE_H

#include "fs/initrd.h"

/* Creates the root, /tmp and the archive's files, and mounts the others. NULL, or a message. */
const char *tree_make(const struct initrd *initrd);

#endif
