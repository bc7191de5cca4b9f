/* path.h - from a path to a node. */
#ifndef TOLLGATE_UNIX_FILE_PATH_H
#define TOLLGATE_UNIX_FILE_PATH_H

#include "node/node.h"

#define LINKS_MOST 40 /* symbolic links on the way, as Linux's MAXSYMLINKS */

/* A look-up, of its own buffer and its own uses: any number may be under way and sleep. */
struct path {
        char *buffer;           /* PATH_MAX bytes of the heap, which links are written into */
        struct node *directory; /* the last one on the way, held */
        struct node *node;      /* the node, held, or NULL */
        const char *name;       /* the last component, in the buffer: may be "", "." and ".." */
        bool slash;             /* it ended in one: only a directory is meant */
};

/* How a symbolic link at the end is treated; the others are always followed. */
enum last {
        LAST_NAME,   /* the name itself: to make, move or remove it */
        LAST_MADE,   /* O_CREAT: its target, but with a slash behind it the name */
        LAST_LINK,   /* the link itself, but with a slash its target */
        LAST_TARGET, /* its target */
};

/* Follows path->buffer, from a directory, or NULL = /; all but the last component must be there. 0,
 * -ENOENT, -ENOTDIR, -ELOOP, -ENAMETOOLONG, or the file system's error. */
int path_walk(struct path *path, struct node *from, enum last last);
/* A slash at the end means a directory: -ENOTDIR if something else is there. A call that makes
 * a name first gives Linux's error for one that exists. */
int path_is_meant(const struct path *path);
/* The same look at the last component once more, which others may have changed: 0 or -errno. */
int path_again(struct path *path);
void path_release(struct path *path); /* whatever came of it */
/* No name that could be given or taken away: none, `.` or `..`. */
bool path_is_special(const char *name);
/* Makes a node where the path leads and nothing is; `target`: a link's. 0 or -errno. */
int path_make(struct path *path, uint32_t mode, const char *target);

/* A kernel's path, from a directory, or /, to something that must be there. 0 or -errno. */
int path_to(struct path *path, const char *text, struct node *from);
/* The node at its end, held, or -errno in *error. */
struct node *path_find(const char *text, struct node *from, int *error);

/* A path of the current process, copied to a buffer of its own, and followed from the directory
 * that `fd` has open, or AT_FDCWD. As path_walk(); also -EFAULT, -EBADF, -ENOMEM. */
int path_at(struct path *path, long fd, long text, enum last last);
/* The same, of something that must be there: held. */
int node_at(struct node **node, long fd, long text, bool follow);

/* Copies a path from the current process. 0, -EFAULT, -ENAMETOOLONG. */
int path_read(char buffer[PATH_MAX], uintptr_t from);

#endif
