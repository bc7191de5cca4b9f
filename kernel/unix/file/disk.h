/* disk.h - /dev/hda and its like: a read-only disk as one file. */
#pragma once
#include "node/node.h"

extern const struct file_kind disk_kind;

/* The operations of the disks' nodes; their device numbers tell them apart (Linux's
 * devices.txt). */
int disk_open(struct file *file); /* -ENXIO: no such disk; -EROFS: opened for writing */
long disk_read_node(struct node *node, uint64_t offset, void *to, size_t size);
