/* mounts.h - the mounted file systems, for statfs() and /proc/mounts. */
#pragma once
#include "node/node.h"

#define MAGIC_PIPES 0x50495045u /* linux/magic.h */
#define MAGIC_SOCKETS 0x534f434bu
#define MAGIC_MEMORY 0x01021994u
#define MAGIC_PROC 0x9fa0u
#define MAGIC_PTS 0x1cd1u
#define MAGIC_EXT2 0xef53u

struct mount {
        const char *source, *type;
        uint32_t magic;
        struct node *root;
        bool read_only;
};

/* Called at boot, permanently; there is room for all. */
void mounts_add(const struct mount *mount);
/* The n-th one, or NULL behind the last. */
const struct mount *mounts_at(unsigned n);
