/* blocks.h - a small cache of disk blocks. A reader of an uncached block sleeps until the disk
 * answers or is given up. No signal ends this sleep, because programs rely on it. */
#pragma once
#include <stddef.h>
#include <stdint.h>

#define DISKS 4 /* hda to hdd */

/* Allocates the cache, if there is a disk. */
void blocks_init(void);
const char *disk_name(unsigned disk), *disk_model(unsigned disk);
uint64_t disk_size(unsigned disk); /* size in bytes; 0 = no disk */
/* Reads bytes of a disk, up to its end. -EIO: it does not answer or cannot read them, with a
 * message on the console. */
long disk_read(unsigned disk, uint64_t offset, void *to, size_t size);
/* Handles disks' answers (WORK_DEVICE), and wakes the threads that wait for them. */
void blocks_service(void);
