/* ext2.h - a disk's ext2 file system, read-only. */
#pragma once
#include "node/node.h"

/* The root of a disk's file system (file/blocks.h). NULL, with a message: unreadable. */
struct node *ext2_root(unsigned disk, uint32_t device);
