/* path.h - from a path to a node. */
#ifndef TOLLGATE_FILE_PATH_H
#define TOLLGATE_FILE_PATH_H

#include "file/node.h"

#define LINKS_MOST 40 /* symbolic links on the way, as Linux's MAXSYMLINKS */

struct path {
        struct node *directory; /* the last one on the way */
        struct node *node;      /* what is there, or NULL. Not held */
        const char *name;       /* the last component, in the buffer: may be "", "." and ".." */
        bool slash;             /* it ended in one: only a directory is meant */
};

/* Follows the path in `buffer`, which symbolic links are written into. All but the last component
 * must be there. `from` is the current directory, or NULL = /; `follow`: a symbolic link at the
 * end, too. 0, -ENOENT, -ENOTDIR, -ELOOP, -ENAMETOOLONG. */
int path_walk(struct path *path, struct node *from, char buffer[PATH_MAX], bool follow);

/* The node at the end of a kernel's path, from the root, or -errno in *error. Not held. */
struct node *path_find(const char *text, int *error);

/* Copies a path from the current process. 0, -EFAULT, -ENAMETOOLONG. */
int path_read(char buffer[PATH_MAX], uintptr_t from);

#endif
