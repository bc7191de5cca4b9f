/* disk.h - /dev/hda and its like: a disk as one file. It can only be read. */
#ifndef TOLLGATE_UNIX_FILE_DISK_H
#define TOLLGATE_UNIX_FILE_DISK_H

#include "node/node.h"

extern const struct file_kind disk_kind;

/* The operations of the disks' nodes; their device numbers tell them apart (Linux's
 * devices.txt). */
int disk_open(struct file *file); /* -ENXIO: there is no disk; -EROFS: to be written */
long disk_read_node(struct node *node, uint64_t offset, void *to, size_t size);

#endif
