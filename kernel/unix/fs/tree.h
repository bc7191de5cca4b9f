/* tree.h - the file tree: the root, and the mounts below it. */
#pragma once
#include "fs/initrd.h"

/* Creates the root, /tmp and the archive's files, and mounts the others. NULL, or a message. */
const char *tree_make(const struct initrd *initrd);
