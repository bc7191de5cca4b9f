/* dev.c - /dev: a file system in memory that initially contains the devices. */
#include "fs/dev.h"
#include "file/disk.h"
#include "file/file.h"
#include "file/pty.h"
#include "node/quota.h"
#include "fs/ram.h"

#define DEVICE(major, minor) ((major) << 8 | (minor)) /* Linux's numbers (devices.txt) */
#define NODE(file_kind, opened)                                                                    \
        {                                                                                          \
                .file = &(file_kind), .stat = ram_stat, .free = ram_free, .touch = ram_touch,      \
                .open = (opened)                                                                   \
        }
#define DISK                                                                                       \
        {                                                                                          \
                .file = &disk_kind, .stat = ram_stat, .free = ram_free, .touch = ram_touch,        \
                .open = disk_open, .read = disk_read_node                                          \
        }

static const struct device {
        const char *name;
        uint32_t mode, number;
        struct node_kind kind;
} devices[] = {
        {"null", S_IFCHR | 0666, DEVICE(1, 3), NODE(null_kind, NULL)},
        {"zero", S_IFCHR | 0666, DEVICE(1, 5), NODE(zero_kind, NULL)},
        {"full", S_IFCHR | 0666, DEVICE(1, 7), NODE(full_kind, NULL)},
        {"random", S_IFCHR | 0666, DEVICE(1, 8), NODE(random_kind, NULL)},
        {"urandom", S_IFCHR | 0666, DEVICE(1, 9), NODE(random_kind, NULL)},
        {"kmsg", S_IFCHR | 0666, DEVICE(1, 11), NODE(kmsg_kind, log_open)},
        {"records", S_IFCHR | 0666, DEVICE(240, 0), NODE(records_kind, log_open)},
        {"tty1", S_IFCHR | 0666, DEVICE(4, 1), NODE(screen_kind, screen_open)},
        {"tty", S_IFCHR | 0666, DEVICE(5, 0), NODE(console_kind, terminal_open)},
        {"console", S_IFCHR | 0666, DEVICE(5, 1), NODE(console_kind, NULL)},
        {"fb0", S_IFCHR | 0666, DEVICE(29, 0), NODE(framebuffer_kind, framebuffer_open)},
        {"ptmx", S_IFCHR | 0666, DEVICE(5, 2), NODE(pty_master_kind, pty_open_master)},
        {"hda", S_IFBLK | 0440, DEVICE(3, 0), DISK},
        {"hdb", S_IFBLK | 0440, DEVICE(3, 64), DISK},
        {"hdc", S_IFBLK | 0440, DEVICE(22, 0), DISK},
        {"hdd", S_IFBLK | 0440, DEVICE(22, 64), DISK},
};

/* Links in /dev to the program's open files. */
static const struct link {
        const char *name, *target;
} links[] = {
        {"fd", "/proc/self/fd"},
        {"stdin", "/proc/self/fd/0"},
        {"stdout", "/proc/self/fd/1"},
        {"stderr", "/proc/self/fd/2"},
};

static bool add_links(struct node *root)
{
        for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
                struct ram *made = ram_add(root, links[i].name, S_IFLNK | 0777);
                if (!made || !(made->target = quota_text(links[i].target)))
                        return false;
        }
        return true;
}

struct node *dev_root(uint32_t device)
{
        struct node *root = ram_root(device);
        for (size_t i = 0; root && i < sizeof devices / sizeof *devices; i++) {
                struct ram *made = ram_add(root, devices[i].name, devices[i].mode);
                if (!made)
                        return NULL;
                made->node.kind = &devices[i].kind;
                made->rdev = devices[i].number;
        }
        return root && add_links(root) ? root : NULL;
}
