/* ram.h - the file system in memory, as its users need it (fs/tree.c, fs/dev.c). */
#ifndef TOLLGATE_UNIX_FS_RAM_H
#define TOLLGATE_UNIX_FS_RAM_H

#include "node/node.h"

/* A name in a directory. */
struct ram_name {
        struct ram *of;
        struct node *directory;
        char *text;                       /* heap */
        struct ram_name *next, *previous; /* in the directory's list, in the order of `place` */
        uint64_t place;                   /* getdents' cookie: where reading goes on */
        struct ram_name *next_named;      /* with the same remainder (ram.c) */
        uint32_t hash;
        struct ram_name *other; /* of the same node */
};

struct ram {
        struct node node;
        struct node_time times[NODE_TIMES];
        struct ram_name own;    /* its first name, if it has that still */
        struct ram_name *names; /* all of them; NULL = removed, or the root */
        uint32_t links;         /* how many */

        struct ram_name *first, *last; /* a directory's list */
        struct ram_name *listed;       /* of a directory: the name that was listed last, or NULL */
        uint64_t next_place;           /* a directory's */
        char *target;                  /* a link's; heap */
        uint32_t rdev;                 /* a device's st_rdev */
        uint64_t size;                 /* a regular file's */
        const uint8_t *image;          /* a regular file's bytes where no page is: in the initrd */
        size_t image_size;
        bool changed;    /* a regular file's: its frames are more than copies of the image */
        bool tail;       /* a regular file's: programs may have written behind its end */
        uintptr_t pages; /* a regular file's: frame of a table of tables of frames, 0 = none */
};

/* The root of a new file system, an empty directory. NULL = no room. */
struct node *ram_root(uint32_t device);
/* A new node in a directory, whose list uses it. NULL = no room. */
struct ram *ram_add(struct node *directory, const char *name, uint32_t mode);
/* Operations that the nodes of devices share. */
void ram_stat(struct node *node, struct facts *facts);
void ram_free(struct node *node);
void ram_touch(struct node *node, unsigned which, const struct node_time times[NODE_TIMES]);
/* Its bytes, or a directory's names, are others now. */
void ram_written(struct node *node);

/* fs/ram_file.c */
extern const struct node_kind ram_file_node;
void ram_cut(struct ram *ram); /* to nothing */

#endif
