/*
 * node.h - the tree in memory: directories, regular files, symbolic links, devices.
 *
 * A node has one name (there are no hard links) and lies in one directory. It lives while something
 * uses it: its directory's list, an open file, a process whose directory it is, or a node below it.
 * No times, and everything belongs to root, who may do everything.
 */
#ifndef TOLLGATE_FILE_NODE_H
#define TOLLGATE_FILE_NODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "file/initrd.h"
#include "uapi.h"

struct file_kind;

struct node {
        unsigned users;
        uint32_t mode, number; /* number: st_ino */
        const struct file_kind *kind;
        struct node *parent; /* of the root itself */
        char *name;          /* heap; NULL once the node is removed */
        struct node *next;   /* in the parent's list, in the order of `place` */
        uint32_t place;      /* getdents' cookie: where reading goes on */

        struct node *first;   /* a directory's list */
        uint32_t next_place;  /* a directory's */
        char *target;         /* a link's; heap */
        uint32_t device;      /* a device's st_rdev */
        uint64_t size;        /* a regular file's */
        const uint8_t *image; /* a regular file's bytes where no page is: in the initrd */
        size_t image_size;
        uintptr_t pages; /* a regular file's: frame of a table of tables of frames, 0 = none */
};

extern struct node *node_root;

/* Makes the root, /dev, /tmp, and what the archive holds. NULL, or a sentence. */
const char *node_fill(const struct initrd *initrd);

static inline bool node_is(const struct node *node, uint32_t type)
{
        return (node->mode & S_IFMT) == type;
}

/* A copy for a node to bear, of the tree's memory (file/quota.h): NULL = no room. */
char *node_text(const char *text);
void node_text_free(char *text); /* NULL is fine */

void node_hold(struct node *node);
void node_release(struct node *node); /* NULL is fine */

/* A new node of that type and those bits in a directory; the directory's list uses it. NULL = no
 * room. */
struct node *node_create(struct node *directory, const char *name, uint32_t mode);
/* The node of that name, `.` and `..` too, or NULL. */
struct node *node_find(struct node *directory, const char *name);
void node_remove(struct node *node); /* from its directory */
/* 0 or -ENOSPC. What was there under that name must have been removed. */
int node_move(struct node *node, struct node *directory, const char *name);
unsigned node_links(const struct node *node); /* st_nlink */

/* The resolved path of a node: 0, -ENOENT if it was removed, -ENAMETOOLONG. */
int node_path(const struct node *node, char buffer[PATH_MAX]);

/* file/regular.c: the bytes of a regular file from `offset` on, which is below its size: *run of
 * them lie together. NULL = there is none. */
const void *regular_look(const struct node *node, uint64_t offset, size_t *run);
/* False = they are not there. */
bool regular_read(const struct node *node, uint64_t offset, void *to, size_t size);
void regular_cut(struct node *node); /* to nothing */

#endif
