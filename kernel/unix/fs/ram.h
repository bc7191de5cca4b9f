/* ram.h - the file system in memory, for its users (fs/tree.c, fs/dev.c). */
#pragma once
#include "node/node.h"

/* A name in a directory. */
struct ram_name {
        struct ram *of;
        struct node *directory;
        char *text;                       /* heap */
        struct ram_name *next, *previous; /* in the directory's list, sorted by `place` */
        uint64_t place;                   /* getdents' cookie: where reading continues */
        struct ram_name *next_named;      /* in the same hash chain (ram.c) */
        uint32_t hash;
        struct ram_name *other; /* next name of the same node */
};

struct ram {
        struct node node;
        struct node_time times[NODE_TIMES];
        struct ram_name own;    /* space for its first name */
        struct ram_name *names; /* list of its names; NULL = removed, or the root */
        uint32_t links;         /* how many */

        struct ram_name *first, *last; /* a directory's list */
        struct ram_name *listed;       /* of a directory: the last name listed, or NULL */
        uint64_t next_place;           /* a directory's */
        char *target;                  /* target of a link; heap */
        uint32_t rdev;                 /* st_rdev of a device */
        uint64_t size;                 /* size of a regular file */
        const uint8_t *image;          /* of a regular file: its bytes in the initrd */
        size_t image_size;
        bool changed;    /* of a regular file: its frames differ from the image */
        bool appended;   /* of a regular file: by a write that others interrupt */
        bool tail;       /* of a regular file: programs may have written behind its end */
        uintptr_t pages; /* of a regular file: frame of a two-level table of frames, 0 = none */
};

/* The root of a new file system, an empty directory. NULL = no room. */
struct node *ram_root(uint32_t device);
/* A new node in a directory, which holds it. NULL = no room. */
struct ram *ram_add(struct node *directory, const char *name, uint32_t mode);
/* Operations shared by nodes of devices. */
void ram_stat(struct node *node, struct facts *facts);
void ram_free(struct node *node);
void ram_touch(struct node *node, unsigned which, const struct node_time times[NODE_TIMES]);
/* Call when its bytes, or a directory's names, have changed. */
void ram_written(struct node *node);

/* fs/ram_file.c */
extern const struct node_kind ram_file_node;
void ram_cut(struct ram *ram); /* to nothing */
/* A large file's frames are freed in parts. The thread that left them does it on its way out of the
 * kernel (WORK_DEVICE), while others run: ram_drop_left(). One that ends does it for all, as does
 * the idle kernel, or whoever finds no frame: ram_drop_part() frees a part. False = none is left.
 */
void ram_drop_left(bool of_all);
bool ram_drop_part(void);
