/* calls.h - what the files' system calls share. */
#ifndef TOLLGATE_FILE_CALLS_H
#define TOLLGATE_FILE_CALLS_H

#include <stdbool.h>
#include "file/path.h"
#include "uapi.h"

/* Reads a path of the current process into `buffer` and follows it, from the directory that `fd`
 * has open, or AT_FDCWD. As path_walk(); also -EFAULT, -EBADF. */
int path_at(struct path *path, long fd, long text, char buffer[PATH_MAX], bool follow);
/* The same, of something that must be there. Not held. */
int node_at(struct node **node, long fd, long text, bool follow);

#endif
