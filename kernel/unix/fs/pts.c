/* pts.c - /dev/pts: a name for each pair whose master is open. Each look-up makes its node. */
#include "fs/pts.h"
#include "errno.h"
#include "file/file.h"
#include "file/pty.h"
#include "node/quota.h"
#include "lib/printf.h"
#include "lib/string.h"
#include "mem/heap.h"

#define PLACE_FIRST 3
#define NUMBER_FIRST 3 /* st_ino of the first, as on Linux */
#define NAME 12

static const struct node_kind directory_node, slave_node;

static struct node *pts_make(uint32_t mode, uint32_t number, uint32_t device,
                             const struct node_kind *kind)
{
        struct node *node = heap_allocate(sizeof *node);
        if (node)
                *node = (struct node){
                        .users = 1, .mode = mode, .number = number, .device = device, .kind = kind};
        return node;
}

struct node *pts_root(uint32_t device)
{
        return pts_make(S_IFDIR | 0755, 1, device, &directory_node);
}

static unsigned number_of(const struct node *node)
{
        return node->number - NUMBER_FIRST;
}

static int pts_find(struct node *directory, const char *name, struct node **found)
{
        char its[NAME];
        for (int i = pty_next(0); i >= 0; i = pty_next((unsigned)i + 1)) {
                snprintf(its, sizeof its, "%d", i);
                if (strcmp(its, name))
                        continue;
                struct node *node = pts_make(S_IFCHR | 0620, NUMBER_FIRST + (uint32_t)i,
                                             directory->device, &slave_node);
                char *copy = node ? quota_name(name) : NULL;
                if (!copy) {
                        heap_free(node);
                        return -ENOMEM;
                }
                node->name = copy;
                node->parent = node_hold(directory);
                *found = node;
                return 0;
        }
        return -ENOENT;
}

static int pts_list(struct node *directory, uint64_t place, struct listed *next)
{
        int i = pty_next(place < PLACE_FIRST ? 0 : (unsigned)(place - PLACE_FIRST) + 1);
        if (i < 0)
                return -ENOENT;
        *next = (struct listed){
                PLACE_FIRST + (unsigned)i, NUMBER_FIRST + (uint32_t)i, S_IFCHR, {0}};
        snprintf(next->name, sizeof next->name, "%d", i);
        return 0;
}

static void stat_slave(struct node *node, struct facts *facts)
{
        facts->device = PTY_DEVICE(number_of(node));
}

/* The master may have been closed since the look-up. */
static int pts_open(struct file *file)
{
        struct pty *pty = pty_find(number_of(file->node));
        return pty ? pty_open_slave(file, pty) : -EIO;
}

static const struct node_kind directory_node = {.file = &directory_kind,
                                                .refuses = -EPERM,
                                                .stat = node_stat_directory,
                                                .free = node_free,
                                                .find = pts_find,
                                                .list = pts_list,
                                                .uncreated = -EACCES};
static const struct node_kind slave_node = {.file = &pty_slave_kind,
                                            .open = pts_open,
                                            .refuses = -EPERM,
                                            .stat = stat_slave,
                                            .free = node_free};
