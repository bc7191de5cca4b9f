/*
 * node.h - what a name leads to: a node, whose kind says how its file system stores it.
 *
 * A file system is a source of kernel/unix/fs/ with a struct node_kind for each thing it has; its
 * nodes begin with a struct node. Nobody else knows the rest of it. A directory has one name;
 * what is none may have several, in directories of its file system, and knows one of them. A node
 * lives while something uses it: its file system, an open file, a process whose directory it is, a
 * node below it, a look-up that has come to it. Its owner makes no difference: every
 * program is root's, who may do everything.
 *
 * Any function of a kind may sleep: its nodes are held meanwhile, and what was seen before must be
 * looked at again behind it. One that does not (fs/ram.c) is atomic.
 */
#ifndef TOLLGATE_UNIX_NODE_NODE_H
#define TOLLGATE_UNIX_NODE_NODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "uapi.h"

struct file;
struct file_kind;
struct node_kind;

struct node {
        unsigned users;
        unsigned mapped;       /* areas of programs' memory that map it */
        unsigned executed;     /* memories that run it as a program: nobody opens it for writing */
        unsigned writers;      /* open files that may write to it: nobody executes it */
        uint32_t mode, number; /* st_mode; st_ino */
        uint32_t device;       /* st_dev: the file system's */
        uint32_t user, group;  /* chown's: they are told, and change nothing */
        bool gone;             /* it has no name any more */
        bool cutting; /* a regular file's end is where it was told to be; pages behind it are not
                         gone yet */
        const struct node_kind *kind;
        /* The directory that the node is in, and its name there. If it has several names this is
         * one of them; of a removed node it is the last, of a mounted root that of the directory
         * below, of a node that never had one node_root. The root of all is its own parent and has
         * no name. */
        struct node *parent;
        char *name;
        struct node *mounted; /* the root that is mounted on this directory, held, or NULL */
};

/* Since 1970, or before it */
struct node_time {
        int64_t seconds;
        uint32_t nanoseconds;
};
enum {
        NODE_READ, /* st_atime, which no read changes */
        NODE_WRITTEN,
        NODE_CHANGED,
        NODE_TIMES
};

/* Fields of stat() that are not in the node. */
struct facts {
        uint32_t links, device; /* st_nlink; st_rdev of a device */
        uint64_t size;
        struct node_time times[NODE_TIMES];
};

struct listed {
        uint64_t place; /* where the next look goes on: 3 or more */
        uint32_t number, mode;
        char name[NAME_MAX + 1];
};

/* Fields of statfs() about a file system. */
struct space {
        uint32_t block; /* bytes */
        uint64_t blocks, free, names, names_free;
};

/* Results are 0 or -errno if nothing else is said. An operation that a kind does not have fails. */
struct node_kind {
        const struct file_kind *file; /* the operations of an open one */
        int (*open)(
                struct file *file); /* a new open file of it, which may still become another kind */
        int refuses;                /* the error of a change; 0 = it may be changed */
        void (*stat)(struct node *node, struct facts *facts); /* zeroed before */
        void (*free)(struct node *node);                      /* nothing uses it any more */
        /* Those of its times, a bit of `which` each, are that from now on; it has been changed. */
        void (*touch)(struct node *node, unsigned which, const struct node_time times[NODE_TIMES]);

        void (*space)(struct node *root,
                      struct space *space); /* of its file system, zeroed before */

        /* Operations of a directory. Names are not empty, `.` or `..`; a node that is found or made
         * is held. */
        int (*find)(struct node *directory, const char *name, struct node **found);
        int (*list)(struct node *directory, uint64_t place, struct listed *next); /* -ENOENT: end */
        int (*create)(struct node *directory, const char *name, uint32_t mode, const char *target,
                      struct node **made); /* `target`: a link's. -EEXIST */
        /* Another name for a node that is no directory, in the same file system. -EEXIST */
        int (*link)(struct node *directory, const char *name, struct node *node);
        /* Removes a name, or -ENOENT; -ENOTEMPTY */
        int (*remove)(struct node *directory, const char *name, struct node *node);
        /* Gives it a name in a directory of the same file system; a node with that name there
         * goes. */
        int (*move)(struct node *directory, const char *name, struct node *node, struct node *to,
                    const char *new_name);

        /* Operations of a link: its text with a 0, or its target, whatever its text says. */
        int (*target)(struct node *link, char text[PATH_MAX]);
        int (*follow)(struct node *link, struct node **to);

        /* Operations of a regular file, or a disk. Bytes into the kernel's memory: as many as it
         * likes, 0 at the end, or -errno. */
        long (*read)(struct node *node, uint64_t offset, void *to, size_t size);
        /* Those from `offset` on where they lie, *run of them; NULL = it ends before. *frame:
         * theirs, to be shared if they must stay while others run; 0 = they do. */
        const void *(*look)(struct node *node, uint64_t offset, size_t *run, uintptr_t *frame);
        int (*cut)(struct node *node, uint64_t size); /* or grown, with zeros */
        /* Of a node whose bytes are in frames: that of the page at `offset`, made if it has none
         * yet, for programs to map. 0 = the file ends before, or there is no room. It does not
         * sleep. */
        uintptr_t (*frame)(struct node *node, uint64_t offset);
        void (*unmapped)(struct node *node); /* nobody maps it any more */
};

extern struct node *node_root;

static inline bool node_is(const struct node *node, uint32_t type)
{
        return (node->mode & S_IFMT) == type;
}

static inline struct node *node_hold(struct node *node)
{
        node->users++;
        return node;
}
void node_release(struct node *node); /* NULL is fine */

/* Mounts a file system's root in place of a directory, for good: the caller's use of the root goes
 * to it. False = no memory for its name. */
bool node_mount(struct node *root, struct node *directory);
/* Bytes of a regular file from `offset` on, all of them; false = they are not there. */
bool node_read(struct node *node, uint64_t offset, void *to, size_t size);
struct facts node_facts(struct node *node);
struct node_time node_now(void);
int node_refusal(const struct node *node); /* the error of a change that cannot be made */

/* The resolved path of a node: 0, -ENOENT if it was removed, -ENAMETOOLONG. */
int node_path(const struct node *node, char buffer[PATH_MAX]);
/* The path for links of /proc: of a removed node its last place, and that it is deleted. */
int node_path_told(const struct node *node, char buffer[PATH_MAX]);

#endif
