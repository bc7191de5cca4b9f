/* dev.c - /dev: a file system in memory that has the devices in it to begin with. */
#include "fs/dev.h"
#include "file/file.h"
#include "file/pty.h"
#include "fs/ram.h"

#define DEVICE(major, minor) ((major) << 8 | (minor)) /* Linux's numbers (devices.txt) */
#define NODE(file_kind, opened)                                                                    \
        {                                                                                          \
                .file = &(file_kind), .stat = ram_stat, .free = ram_free, .open = (opened)         \
        }

static const struct device {
        const char *name;
        uint32_t number;
        struct node_kind kind;
} devices[] = {
        {"null", DEVICE(1, 3), NODE(null_kind, NULL)},
        {"zero", DEVICE(1, 5), NODE(zero_kind, NULL)},
        {"tty", DEVICE(5, 0), NODE(console_kind, terminal_open)},
        {"console", DEVICE(5, 1), NODE(console_kind, NULL)},
        {"ptmx", DEVICE(5, 2), NODE(pty_master_kind, pty_open_master)},
};

struct node *dev_root(uint32_t device)
{
        struct node *root = ram_root(device);
        for (size_t i = 0; root && i < sizeof devices / sizeof *devices; i++) {
                struct ram *made = ram_add(root, devices[i].name, S_IFCHR | 0666);
                if (!made)
                        return NULL;
                made->node.kind = &devices[i].kind;
                made->rdev = devices[i].number;
        }
        return root;
}
