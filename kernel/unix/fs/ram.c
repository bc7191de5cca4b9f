/* ram.c - the file system in memory: directories, links, names. Nothing here sleeps. */
#include "fs/ram.h"
#include "errno.h"
#include "file/file.h"
#include "file/pipe.h"
#include "node/quota.h"
#include "lib/string.h"
#include "cpu/window.h"

#define NODES_MOST 8192
#define NAMED 1024
#define PLACE_FIRST 3 /* `.` is 1, `..` is 2 */

static unsigned nodes;
static uint32_t last_number;
static struct ram *named[NAMED]; /* all that lie in a directory, by their hash */
static const struct node_kind directory_node, link_node, socket_node, fifo_node;

static struct ram *of(struct node *node)
{
        return (struct ram *)node;
}

static const struct node_kind *kind_of(uint32_t mode)
{
        switch (mode & S_IFMT) {
        case S_IFDIR: return &directory_node;
        case S_IFLNK: return &link_node;
        case S_IFSOCK: return &socket_node;
        case S_IFIFO: return &fifo_node;
        default: return &ram_file_node;
        }
}

static struct ram *allocate(uint32_t mode, uint32_t device)
{
        struct ram *ram = nodes < NODES_MOST ? quota_allocate(sizeof *ram) : NULL;
        if (!ram)
                return NULL;
        nodes++;
        ram->node = (struct node){.users = 1,
                                  .mode = mode,
                                  .number = ++last_number,
                                  .device = device,
                                  .kind = kind_of(mode)};
        ram->next_place = PLACE_FIRST;
        ram_written(&ram->node);
        ram->times[NODE_READ] = ram->times[NODE_WRITTEN];
        ram->changed = false;
        return ram;
}

void ram_free(struct node *node)
{
        ram_cut(of(node));
        quota_text_free(of(node)->target);
        quota_text_free(node->name);
        quota_free(node, sizeof(struct ram));
        nodes--;
}

void ram_touch(struct node *node, unsigned which, const struct node_time times[NODE_TIMES])
{
        for (unsigned i = 0; i < NODE_TIMES; i++)
                if (which >> i & 1)
                        of(node)->times[i] = times[i];
        of(node)->changed |= which >> NODE_WRITTEN & 1; /* a program that maps it has written */
        of(node)->times[NODE_CHANGED] = node_now();
}

void ram_written(struct node *node)
{
        of(node)->times[NODE_WRITTEN] = of(node)->times[NODE_CHANGED] = node_now();
        of(node)->changed = true;
}

struct node *ram_root(uint32_t device)
{
        struct ram *ram = allocate(S_IFDIR | 0755, device);
        return ram ? &ram->node : NULL;
}

/* By directory and name (FNV-1a), so that no look-up goes through a directory. */
static uint32_t hash_of(const struct node *directory, const char *name)
{
        uint32_t hash = 2166136261u ^ directory->number;
        for (; *name; name++)
                hash = (hash ^ (uint8_t)*name) * 16777619u;
        return hash;
}

static struct ram **link_of(const struct ram *ram)
{
        struct ram **at = &named[ram->hash % NAMED];
        while (*at != ram) {
                interrupt_window();
                at = &(*at)->next_named;
        }
        return at;
}

/* Last in the list: `place` grows. */
static void enter(struct ram *ram, struct node *directory)
{
        struct ram *in = of(directory);
        ram->next = NULL;
        ram->previous = in->last;
        *(in->last ? &in->last->next : &in->first) = ram;
        in->last = ram;
        ram->place = in->next_place++;
        ram->node.parent = node_hold(directory);
        ram->hash = hash_of(directory, ram->node.name);
        ram->next_named = named[ram->hash % NAMED];
        named[ram->hash % NAMED] = ram;
}

static void leave(struct ram *ram)
{
        struct ram *in = of(ram->node.parent);
        *(ram->previous ? &ram->previous->next : &in->first) = ram->next;
        *(ram->next ? &ram->next->previous : &in->last) = ram->previous;
        if (in->listed == ram)
                in->listed = ram->previous;
        *link_of(ram) = ram->next_named;
}

struct ram *ram_add(struct node *directory, const char *name, uint32_t mode)
{
        struct ram *ram = allocate(mode, directory->device);
        char *copy = ram ? quota_text(name) : NULL;
        if (!copy) {
                node_release(ram ? &ram->node : NULL);
                return NULL;
        }
        ram->node.name = copy;
        enter(ram, directory);
        return ram;
}

static int find(struct node *directory, const char *name, struct node **found)
{
        uint32_t hash = hash_of(directory, name);
        for (struct ram *ram = named[hash % NAMED]; ram; ram = ram->next_named) {
                interrupt_window();
                if (ram->hash == hash && ram->node.parent == directory &&
                    !strcmp(ram->node.name, name)) {
                        *found = node_hold(&ram->node);
                        return 0;
                }
        }
        return -ENOENT;
}

static int list(struct node *directory, uint64_t place, struct listed *next)
{
        struct ram *in = of(directory);
        for (struct ram *ram = in->listed && in->listed->place <= place ? in->listed : in->first;
             ram; ram = ram->next) {
                interrupt_window();
                if (ram->place <= place)
                        continue;
                in->listed = ram;
                next->place = ram->place;
                next->number = ram->node.number;
                next->mode = ram->node.mode;
                memcpy(next->name, ram->node.name, strlen(ram->node.name) + 1);
                return 0;
        }
        return -ENOENT;
}

static int create(struct node *directory, const char *name, uint32_t mode, const char *target,
                  struct node **made)
{
        struct node *there;
        if (directory->gone)
                return -ENOENT;
        if (!find(directory, name, &there)) {
                node_release(there);
                return -EEXIST;
        }
        char *copy = target ? quota_text(target) : NULL;
        struct ram *ram = target && !copy ? NULL : ram_add(directory, name, mode);
        if (!ram) {
                quota_text_free(copy);
                return -ENOSPC;
        }
        ram->target = copy;
        ram_written(directory);
        *made = node_hold(&ram->node);
        return 0;
}

/* It goes on using its parent: for `..`. */
static int remove(struct node *node)
{
        if (node->gone)
                return -ENOENT;
        if (of(node)->first)
                return -ENOTEMPTY;
        leave(of(node));
        ram_written(node->parent);
        ram_touch(node, 0, NULL);
        node->gone = true;
        node_release(node);
        return 0;
}

static int move(struct node *node, struct node *directory, const char *name)
{
        struct node *was = node->parent, *there = NULL;
        char *copy = quota_text(name);
        int error = !copy ? -ENOSPC : node->gone || directory->gone ? -ENOENT : 0;
        if (!error && !find(directory, name, &there))
                error = remove(there);
        if (error) {
                quota_text_free(copy);
        } else {
                leave(of(node));
                quota_text_free(node->name);
                node->name = copy;
                enter(of(node), directory);
                ram_written(was);
                ram_written(directory);
                ram_touch(node, 0, NULL);
                node_release(was);
        }
        node_release(there);
        return error;
}

static int target(struct node *link, char text[PATH_MAX])
{
        memcpy(text, of(link)->target, strlen(of(link)->target) + 1);
        return 0;
}

void ram_stat(struct node *node, struct facts *facts)
{
        facts->links = !node->gone;
        facts->device = of(node)->rdev;
        memcpy(facts->times, of(node)->times, sizeof facts->times);
        facts->size = of(node)->target ? strlen(of(node)->target) : of(node)->size;
        if (!facts->links || !node_is(node, S_IFDIR))
                return;
        facts->links++;
        for (const struct ram *below = of(node)->first; below; below = below->next) {
                interrupt_window();
                facts->links += node_is(&below->node, S_IFDIR);
        }
}

static void space(struct node *node, struct space *space)
{
        (void)node;
        *space = (struct space){.block = PAGE_SIZE,
                                .blocks = quota_most() / PAGE_SIZE,
                                .free = (quota_most() - quota_held()) / PAGE_SIZE,
                                .names = NODES_MOST,
                                .names_free = NODES_MOST - nodes};
}

static const struct node_kind directory_node = {.file = &directory_kind,
                                                .space = space,
                                                .stat = ram_stat,
                                                .free = ram_free,
                                                .touch = ram_touch,
                                                .find = find,
                                                .list = list,
                                                .create = create,
                                                .remove = remove,
                                                .move = move};
static const struct node_kind link_node = {
        .stat = ram_stat, .free = ram_free, .touch = ram_touch, .target = target};
/* A socket's name: who opens it finds no file, and who connects to it asks file/socket_name.c. */
static const struct node_kind socket_node = {
        .stat = ram_stat, .free = ram_free, .touch = ram_touch};
static const struct node_kind fifo_node = {.file = &pipe_both_kind,
                                           .open = fifo_open,
                                           .stat = ram_stat,
                                           .free = ram_free,
                                           .touch = ram_touch};
