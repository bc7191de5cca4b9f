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
#define NAMED_ALIKE 32 /* names of one hash: a program can choose more than come by chance */
#define PLACE_FIRST 3  /* `.` is 1, `..` is 2 */

static unsigned nodes;
static uint32_t last_number;
static struct ram_name *named[NAMED]; /* all names, by their hash */
static uint16_t alike[NAMED];
static const struct node_kind directory_node, link_node, socket_node, fifo_node;

static struct ram *ram_of(struct node *node)
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
        ram->changed = ram->tail = ram->appended = false;
        return ram;
}

void ram_free(struct node *node)
{
        ram_cut(ram_of(node));
        quota_text_free(ram_of(node)->target);
        quota_text_free(node->name);
        quota_free(node, sizeof(struct ram));
        nodes--;
}

void ram_touch(struct node *node, unsigned which, const struct node_time times[NODE_TIMES])
{
        for (unsigned i = 0; i < NODE_TIMES; i++)
                if (which >> i & 1)
                        ram_of(node)->times[i] = times[i];
        ram_of(node)->changed |= which >> NODE_WRITTEN & 1; /* a program that maps it wrote to it */
        ram_of(node)->tail |= node->mapped != 0;
        ram_of(node)->times[NODE_CHANGED] = node_now();
}

void ram_written(struct node *node)
{
        ram_of(node)->times[NODE_WRITTEN] = ram_of(node)->times[NODE_CHANGED] = node_now();
        ram_of(node)->changed = true;
}

struct node *ram_root(uint32_t device)
{
        struct ram *ram = allocate(S_IFDIR | 0755, device);
        return ram ? &ram->node : NULL;
}

/* Hashes directory and name (FNV-1a), so that no look-up scans a directory. */
static uint32_t hash_of(const struct node *directory, const char *name)
{
        uint32_t hash = 2166136261u ^ directory->number;
        for (; *name; name++)
                hash = (hash ^ (uint8_t)*name) * 16777619u;
        return hash;
}

static inline struct ram_name *find_name(const struct node *directory, const char *text)
{
        uint32_t hash = hash_of(directory, text);
        for (struct ram_name *name = named[hash % NAMED]; name; name = name->next_named) {
                interrupt_window();
                if (name->hash == hash && name->directory == directory && !strcmp(name->text, text))
                        return name;
        }
        return NULL;
}

/* -EEXIST, or -ENOSPC for one more of too many. */
static int no_place(const struct node *directory, const char *text)
{
        return find_name(directory, text)                               ? -EEXIST
               : alike[hash_of(directory, text) % NAMED] >= NAMED_ALIKE ? -ENOSPC
                                                                        : 0;
}

static struct ram_name **link_of(const struct ram_name *name)
{
        struct ram_name **at = &named[name->hash % NAMED];
        while (*at != name) {
                interrupt_window();
                at = &(*at)->next_named;
        }
        return at;
}

/* Appends to the directory's list, so that `place` grows. */
static void ram_enter(struct ram_name *name, struct node *directory)
{
        struct ram *in = ram_of(directory), *ram = name->of;
        name->next = NULL;
        name->previous = in->last;
        *(in->last ? &in->last->next : &in->first) = name;
        in->last = name;
        name->place = in->next_place++;
        name->directory = directory;
        name->hash = hash_of(directory, name->text);
        name->next_named = named[name->hash % NAMED];
        named[name->hash % NAMED] = name;
        alike[name->hash % NAMED]++;
        name->other = ram->names;
        ram->names = name;
        ram->links++;
}

static void ram_leave(struct ram_name *name)
{
        struct ram_name **other = &name->of->names;
        struct ram *in = ram_of(name->directory);
        *(name->previous ? &name->previous->next : &in->first) = name->next;
        *(name->next ? &name->next->previous : &in->last) = name->previous;
        if (in->listed == name)
                in->listed = name->previous;
        *link_of(name) = name->next_named;
        alike[name->hash % NAMED]--;
        for (; *other != name; other = &(*other)->other)
                interrupt_window();
        *other = name->other;
        name->of->links--;
}

/* Makes the first of its names the node's path. */
static void ram_tell(struct ram *ram)
{
        struct node *was = ram->node.parent;
        ram->node.parent = node_hold(ram->names->directory);
        ram->node.name = ram->names->text;
        node_release(was);
}

struct ram *ram_add(struct node *directory, const char *name, uint32_t mode)
{
        struct ram *ram = allocate(mode, directory->device);
        char *copy = ram ? quota_text(name) : NULL;
        if (!copy) {
                node_release(ram ? &ram->node : NULL);
                return NULL;
        }
        ram->own = (struct ram_name){.of = ram, .text = copy};
        ram_enter(&ram->own, directory);
        ram_tell(ram);
        return ram;
}

static int ram_find(struct node *directory, const char *text, struct node **found)
{
        const struct ram_name *name = find_name(directory, text);
        if (!name)
                return -ENOENT;
        *found = node_hold(&name->of->node);
        return 0;
}

static int ram_list(struct node *directory, uint64_t place, struct listed *next)
{
        struct ram *in = ram_of(directory);
        struct ram_name *name = in->listed && in->listed->place <= place ? in->listed : in->first;
        for (; name; name = name->next) {
                interrupt_window();
                if (name->place <= place)
                        continue;
                in->listed = name;
                next->place = name->place;
                next->number = name->of->node.number;
                next->mode = name->of->node.mode;
                memcpy(next->name, name->text, strlen(name->text) + 1);
                return 0;
        }
        return -ENOENT;
}

static int ram_create(struct node *directory, const char *name, uint32_t mode, const char *target,
                      struct node **made)
{
        int error = directory->gone ? -ENOENT : no_place(directory, name);
        if (error)
                return error;
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

static int link(struct node *directory, const char *text, struct node *node)
{
        int error = directory->gone || node->gone ? -ENOENT : no_place(directory, text);
        if (error)
                return error;
        struct ram_name *name = nodes < NODES_MOST ? quota_allocate(sizeof *name) : NULL;
        char *copy = name ? quota_text(text) : NULL;
        if (!copy) {
                quota_free(name, sizeof *name);
                return -ENOSPC;
        }
        nodes++; /* tmpfs's accounting */
        *name = (struct ram_name){.of = ram_of(node), .text = copy};
        ram_enter(name, directory);
        ram_written(directory);
        ram_touch(node, 0, NULL);
        return 0;
}

/* Handles the removal of one of several names. */
static void ram_forget(struct ram_name *name)
{
        struct ram *ram = name->of;
        if (ram->node.name == name->text)
                ram_tell(ram);
        quota_text_free(name->text);
}

/* A node without a name still uses its parent, for `..`, and the text of its last name. */
static int remove(struct node *directory, const char *text, struct node *node)
{
        struct ram_name *name = find_name(directory, text);
        if (!name || &name->of->node != node)
                return -ENOENT;
        if (ram_of(node)->first)
                return -ENOTEMPTY;
        ram_leave(name);
        ram_written(directory);
        ram_touch(node, 0, NULL);
        if (ram_of(node)->names)
                ram_forget(name);
        if (name != &ram_of(node)->own) {
                quota_free(name, sizeof *name);
                nodes--;
        }
        node->gone = !ram_of(node)->names;
        if (node->gone)
                node_release(node);
        return 0;
}

static int ram_move(struct node *directory, const char *text, struct node *node, struct node *to,
                    const char *new_text)
{
        struct node *there = NULL;
        char *copy = quota_text(new_text);
        struct ram_name *name = find_name(directory, text);
        int error = !copy || no_place(to, new_text) == -ENOSPC      ? -ENOSPC
                    : !name || name->of != ram_of(node) || to->gone ? -ENOENT
                                                                    : 0;
        if (!error && !ram_find(to, new_text, &there))
                error = remove(to, new_text, there);
        if (error) {
                quota_text_free(copy);
        } else {
                char *old = name->text;
                ram_leave(name);
                name->text = copy;
                ram_enter(name, to);
                if (node->name == old)
                        ram_tell(ram_of(node));
                quota_text_free(old);
                ram_written(directory);
                ram_written(to);
                ram_touch(node, 0, NULL);
        }
        node_release(there);
        return error;
}

static int ram_target(struct node *link, char text[PATH_MAX])
{
        memcpy(text, ram_of(link)->target, strlen(ram_of(link)->target) + 1);
        return 0;
}

void ram_stat(struct node *node, struct facts *facts)
{
        facts->links = ram_of(node)->links;
        facts->device = ram_of(node)->rdev;
        memcpy(facts->times, ram_of(node)->times, sizeof facts->times);
        facts->size = ram_of(node)->target ? strlen(ram_of(node)->target) : ram_of(node)->size;
        if (node->gone || !node_is(node, S_IFDIR))
                return;
        facts->links = 2;
        for (const struct ram_name *below = ram_of(node)->first; below; below = below->next) {
                interrupt_window();
                facts->links += node_is(&below->of->node, S_IFDIR);
        }
}

static void ram_space(struct node *node, struct space *space)
{
        *space = (struct space){.block = PAGE_SIZE,
                                .blocks = quota_most() / PAGE_SIZE,
                                .free = (quota_most() - quota_held) / PAGE_SIZE,
                                .names = NODES_MOST,
                                .names_free = NODES_MOST - nodes};
}

static const struct node_kind directory_node = {.file = &directory_kind,
                                                .space = ram_space,
                                                .stat = ram_stat,
                                                .free = ram_free,
                                                .touch = ram_touch,
                                                .find = ram_find,
                                                .list = ram_list,
                                                .create = ram_create,
                                                .link = link,
                                                .remove = remove,
                                                .move = ram_move};
static const struct node_kind link_node = {
        .stat = ram_stat, .free = ram_free, .touch = ram_touch, .target = ram_target};
/* A socket's name: open() fails, and connect() uses file/socket_name.c. */
static const struct node_kind socket_node = {
        .stat = ram_stat, .free = ram_free, .touch = ram_touch};
static const struct node_kind fifo_node = {.file = &pipe_both_kind,
                                           .open = fifo_open,
                                           .stat = ram_stat,
                                           .free = ram_free,
                                           .touch = ram_touch};
