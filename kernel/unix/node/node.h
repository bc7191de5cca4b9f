/* node.h - nodes (inodes): a name leads to a node, whose kind says how its file system stores it.
 *
 * A file system is a source of kernel/unix/fs/ with a struct node_kind for each type of node. Its
 * nodes begin with a struct node; the rest is private. A directory has one name. Other nodes may
 * have several names in their file system, and store one of them. A node exists while it is in use:
 * by its file system, an open file, a process's current directory, a node below it, or a look-up.
 * Its owner does not matter: every program runs as root, who may do everything.
 *
 * Any function of a kind may sleep. Its nodes are held meanwhile, but the caller must check its
 * earlier findings again. Functions that do not sleep (fs/ram.c) are atomic. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "uapi.h"

struct file;
struct file_kind;
struct node_kind;

struct node {
        unsigned users;
        unsigned mapped;       /* areas of programs that map it */
        unsigned executed;     /* memories that execute it: it cannot be opened for writing */
        unsigned writers;      /* open files and areas that may write it: it cannot be executed */
        uint32_t mode, number; /* st_mode; st_ino */
        uint32_t device;       /* st_dev: the file system's */
        uint32_t user, group;  /* as set by chown; reported, without effect */
        bool gone;             /* it has no name left */
        bool cutting; /* a regular file's end is already set; pages behind it are still being
                       * freed */
        const struct node_kind *kind;
        /* The node's directory, and its name there: one of several; a removed node's last; for a
         * mounted root the name of the directory below; node_root if it never had one. The top root
         * is its own parent and has no name. */
        struct node *parent;
        char *name;
        struct node *mounted; /* the root mounted on this directory, held, or NULL; of a node that
                               * is to be freed: the next of them */
};

/* Since 1970, or before it */
struct node_time {
        int64_t seconds;
        uint32_t nanoseconds;
};
enum {
        NODE_READ, /* st_atime; reads do not change it */
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
        uint64_t place; /* where the next search continues: 3 or more */
        uint32_t number, mode;
        char name[NAME_MAX + 1];
};

/* Fields of statfs() about a file system. */
struct space {
        uint32_t block; /* bytes */
        uint64_t blocks, free, names, names_free;
};

/* Results are 0 or -errno unless noted. A missing operation is an error. */
struct node_kind {
        const struct file_kind *file;   /* operations of an open file */
        int (*open)(struct file *file); /* a new open file of it, whose kind it may change */
        int refuses;                    /* error for changes; 0 = writable */
        void (*stat)(struct node *node, struct facts *facts); /* zeroed before */
        void (*free)(struct node *node);                      /* called after the last use */
        /* Sets the times with a bit in `which`, and marks the node as changed. */
        void (*touch)(struct node *node, unsigned which, const struct node_time times[NODE_TIMES]);

        void (*space)(struct node *root,
                      struct space *space); /* about its file system; zeroed by the caller */

        /* Operations of a directory. Names are never empty, `.` or `..`; a node found or created is
         * held. */
        int (*find)(struct node *directory, const char *name, struct node **found);
        int (*list)(struct node *directory, uint64_t place, struct listed *next); /* -ENOENT: end */
        int (*create)(struct node *directory, const char *name, uint32_t mode, const char *target,
                      struct node **made); /* `target`: of a link. -EEXIST */
        int uncreated; /* error for all new names; -ENOENT even precedes others */
        /* Another name in the same file system for a node other than a directory. -EEXIST */
        int (*link)(struct node *directory, const char *name, struct node *node);
        /* Removes a name, or -ENOENT; -ENOTEMPTY */
        int (*remove)(struct node *directory, const char *name, struct node *node);
        /* Renames it, to a directory of the same file system; replaces a node with that name. */
        int (*move)(struct node *directory, const char *name, struct node *node, struct node *to,
                    const char *new_name);

        /* Operations of a link: its text with a 0, or its target node, regardless of the text. */
        int (*target)(struct node *link, char text[PATH_MAX]);
        int (*follow)(struct node *link, struct node **to);

        /* Operations of a regular file or a disk. Reads into kernel memory: any number of bytes, 0
         * at the end, or -errno. */
        long (*read)(struct node *node, uint64_t offset, void *to, size_t size);
        /* The bytes from `offset` on in memory, *run of them; NULL = beyond the end. *frame: their
         * frame, to be shared if other threads run meanwhile; 0 = they are permanent. */
        const void *(*look)(struct node *node, uint64_t offset, size_t *run, uintptr_t *frame);
        int (*cut)(struct node *node, uint64_t size); /* shortens it, or extends it with zeros */
        /* For nodes in frames: the frame of the page at `offset`, created if missing, for programs
         * to map. 0 = beyond the end, or no room. Does not sleep. */
        uintptr_t (*frame)(struct node *node, uint64_t offset);
        void (*unmapped)(struct node *node); /* called when the last mapping ends */
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
extern unsigned node_waits;           /* threads that wait for the end of a cut, or of an append */
void node_release(struct node *node); /* NULL is allowed */
struct node **node_late(void);        /* nodes that the thread is to free (program/leave.c) */
void node_release_late(void);         /* frees them; others run (WORK_DEVICE) */

/* Mounts a file system's root on a directory, permanently; takes over the caller's use of the root.
 * False = no memory for its name. */
bool node_mount(struct node *root, struct node *directory);
/* Reads all `size` bytes of a regular file from `offset` on; false = not possible. */
bool node_read(struct node *node, uint64_t offset, void *to, size_t size);
struct facts node_facts(struct node *node);
struct node_time node_now(void);
/* For node kinds whose directories are generated, and whose names are quota_text() alone. */
void node_stat_directory(struct node *node, struct facts *facts);
void node_free(struct node *node);
int node_refusal(const struct node *node); /* error if it cannot be changed */

/* The resolved path of a node: 0, -ENOENT if it was removed, -ENAMETOOLONG. */
int node_path(const struct node *node, char buffer[PATH_MAX]);
/* The path for links in /proc: a removed node's last path, marked as deleted. */
int node_path_told(const struct node *node, char buffer[PATH_MAX]);
