/*
 * blocks.h - a small cache of the disks' blocks. A reader of one that is not in it sleeps until the
 * disk has answered, or is given up: no signal ends that, for programs rely on it.
 */
#ifndef TOLLGATE_UNIX_FILE_BLOCKS_H
#define TOLLGATE_UNIX_FILE_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

#define DISKS 4 /* hda to hdd */

/* Memory for the cache, where there is a disk. */
void blocks_init(void);
const char *disk_name(unsigned disk), *disk_model(unsigned disk);
uint64_t disk_size(unsigned disk); /* in bytes; 0 = there is none */
/* Bytes of a disk: as many as are asked for, or as there are up to its end. -EIO: it does not
 * answer, or cannot read them; said on the console. */
long disk_read(unsigned disk, uint64_t offset, void *to, size_t size);
/* Takes the answers of disks (WORK_DEVICE), and wakes the threads that wait for them. */
void blocks_service(void);

#endif
