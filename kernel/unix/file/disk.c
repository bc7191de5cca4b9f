/* disk.c - a disk as one file, with a few of Linux's requests (linux/fs.h). */
#include "file/disk.h"
#include "dev/ata.h"
#include "errno.h"
#include "file/blocks.h"
#include "file/file.h"
#include "thread/user.h"

/* Two per port: majors 3 and 22, minors 0 and 64. */
static unsigned disk_of(struct node *node)
{
        uint32_t device = node_facts(node).device;
        return (device >> 8 == 22) * 2 + (device & 0xff) / 64;
}

int disk_open(struct file *file)
{
        if (!disk_size(disk_of(file->node)))
                return -ENXIO;
        return (file->flags & O_ACCMODE) == O_RDONLY ? 0 : -EROFS;
}

long disk_read_node(struct node *node, uint64_t offset, void *to, size_t size)
{
        return disk_read(disk_of(node), offset, to, size);
}

/* A seek beyond its end fails. */
static int64_t disk_seek(struct file *file, int64_t offset, int whence)
{
        uint64_t was = file->position, end = disk_size(disk_of(file->node));
        int64_t place = file_seek(file, offset, whence, end);
        if (place <= (int64_t)end)
                return place;
        file->position = was;
        return -EINVAL;
}

static long disk_control(struct file *file, unsigned long request, uintptr_t argument)
{
        const uint64_t size = disk_size(disk_of(file->node));
        const uintptr_t sectors = (uintptr_t)(size / ATA_SECTOR);
        const int sector = ATA_SECTOR, read_only = 1;
        switch ((uint32_t)request) {
        case BLKROGET: return user_put(argument, &read_only);
        case BLKSSZGET: return user_put(argument, &sector);
        case BLKGETSIZE: return user_put_words(argument, &sectors, 1);
        case BLKGETSIZE64_32:
        case BLKGETSIZE64: return user_put(argument, &size);
        default: return -ENOTTY;
        }
}

const struct file_kind disk_kind = {"disk", .read = file_read_node, .ioctl = disk_control,
                                    .seek = disk_seek};
