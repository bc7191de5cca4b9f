/* path.h - finds the node of a path. */
#pragma once
#include "node/node.h"

#define LINKS_MOST 40 /* symbolic links in one look-up, as Linux's MAXSYMLINKS */

/* A look-up with its own buffer and references: any number may be active, and sleep. */
struct path {
        char *buffer;           /* PATH_MAX bytes of heap; links are written into it */
        struct node *directory; /* the last directory, held */
        struct node *node;      /* the node, held, or NULL */
        const char *name;       /* last component, in the buffer: may be "", "." and ".." */
        bool slash;             /* the path ended in a slash: it must be a directory */
};

/* Treatment of a symbolic link at the end; others are always followed. */
enum last {
        LAST_NAME,   /* the link's own name: to create, move or remove it */
        LAST_MADE,   /* O_CREAT: the link's target; with a slash the name */
        LAST_LINK,   /* the link itself; with a slash its target */
        LAST_TARGET, /* its target */
};

/* Follows path->buffer from a directory, or NULL = /; all components but the last must exist. 0,
 * -ENOENT, -ENOTDIR, -ELOOP, -ENAMETOOLONG, or the file system's error. */
int path_walk(struct path *path, struct node *from, enum last last);
/* A trailing slash requires a directory: otherwise -ENOTDIR. A call that makes a name first returns
 * Linux's error for an existing name. */
int path_is_meant(const struct path *path);
/* Looks up the last component again, because it may have changed: 0 or -errno. */
int path_again(struct path *path);
void path_release(struct path *path); /* call after any result */
/* A name that cannot be created or removed: empty, `.` or `..`. */
bool path_is_special(const char *name);
/* Creates a node at the path's end, where none is; `target`: a link's. 0 or -errno. */
int path_make(struct path *path, uint32_t mode, const char *target);

/* Follows a kernel path, from a directory or /, to an existing node. 0 or -errno. */
int path_to(struct path *path, const char *text, struct node *from);
/* The node of a path, held, or -errno in *error. */
struct node *path_find(const char *text, struct node *from, int *error);

/* Copies a path of the current process, and follows it from the directory that `fd` has open, or
 * AT_FDCWD. Returns as path_walk(); also -EFAULT, -EBADF, -ENOMEM. */
int path_at(struct path *path, long fd, long text, enum last last);
/* The same for an existing node: held. */
int node_at(struct node **node, long fd, long text, bool follow);
/* Whether a call means the file that `fd` has open: AT_EMPTY_PATH, and an empty path. */
bool path_is_empty(long text, long flags);
/* The node of that file, or of the path: held. NULL: an open file without a node. */
int node_meant(struct node **node, long fd, long text, long flags, bool follow);

/* Copies a path of the current process. 0, -EFAULT, -ENAMETOOLONG. */
int path_read(char buffer[PATH_MAX], uintptr_t from);
