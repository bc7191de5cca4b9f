/* node.c - nodes, their directories, their names. */
#include "file/node.h"
#include "cpu/window.h"
#include "errno.h"
#include "file/file.h"
#include "file/quota.h"
#include "lib/string.h"

#define NODES_MOST 8192 /* a directory with all of them is still searched in a moment */
#define DEVICE(major, minor) ((major) << 8 | (minor))

struct node *node_root;
static unsigned nodes;
static uint32_t last_number;

static const struct file_kind *kind_of(uint32_t mode)
{
        switch (mode & S_IFMT) {
        case S_IFDIR: return &directory_kind;
        case S_IFLNK: return &link_kind;
        default: return &regular_kind;
        }
}

static struct node *allocate(uint32_t mode)
{
        struct node *node = nodes < NODES_MOST ? quota_allocate(sizeof *node) : NULL;
        if (!node)
                return NULL;
        nodes++;
        node->users = 1;
        node->mode = mode;
        node->number = ++last_number;
        node->kind = kind_of(mode);
        node->next_place = 3; /* `.` is 1, `..` is 2 */
        return node;
}

char *node_text(const char *text)
{
        size_t size = strlen(text) + 1;
        char *copy = quota_allocate(size);
        return copy ? memcpy(copy, text, size) : NULL;
}

void node_text_free(char *text)
{
        if (text)
                quota_free(text, strlen(text) + 1);
}

void node_hold(struct node *node)
{
        node->users++;
}

void node_release(struct node *node)
{
        while (node && !--node->users) {
                struct node *parent = node->parent;
                interrupt_window();
                regular_cut(node);
                node_text_free(node->target);
                node_text_free(node->name);
                quota_free(node, sizeof *node);
                nodes--;
                node = parent;
        }
}

/* Last in the list: `place` grows. */
static void enter(struct node *node, struct node *directory)
{
        struct node **at = &directory->first;
        for (; *at; at = &(*at)->next)
                interrupt_window();
        *at = node;
        node->next = NULL;
        node->place = directory->next_place++;
        node->parent = directory;
        node_hold(directory);
}

static void leave(struct node *node)
{
        struct node **at = &node->parent->first;
        for (; *at != node; at = &(*at)->next)
                interrupt_window();
        *at = node->next;
}

struct node *node_create(struct node *directory, const char *name, uint32_t mode)
{
        struct node *node = allocate(mode);
        char *copy = node ? node_text(name) : NULL;
        if (!copy) {
                node_release(node);
                return NULL;
        }
        node->name = copy;
        enter(node, directory);
        return node;
}

struct node *node_find(struct node *directory, const char *name)
{
        if (!strcmp(name, "."))
                return directory;
        if (!strcmp(name, ".."))
                return directory->parent;
        for (struct node *node = directory->first; node; node = node->next) {
                interrupt_window();
                if (!strcmp(node->name, name))
                        return node;
        }
        return NULL;
}

/* It goes on using its parent: for `..`. */
void node_remove(struct node *node)
{
        leave(node);
        node_text_free(node->name);
        node->name = NULL;
        node_release(node);
}

int node_move(struct node *node, struct node *directory, const char *name)
{
        struct node *was = node->parent;
        char *copy = node_text(name);
        if (!copy)
                return -ENOSPC;
        leave(node);
        node_text_free(node->name);
        node->name = copy;
        enter(node, directory);
        node_release(was);
        return 0;
}

unsigned node_links(const struct node *node)
{
        bool there = node->name || node == node_root;
        unsigned links = there;
        if (there && node_is(node, S_IFDIR)) {
                links++;
                for (const struct node *below = node->first; below; below = below->next) {
                        interrupt_window();
                        links += node_is(below, S_IFDIR);
                }
        }
        return links;
}

int node_path(const struct node *node, char buffer[PATH_MAX])
{
        size_t at = PATH_MAX - 1;
        buffer[at] = 0;
        for (; node != node_root; node = node->parent) {
                if (!node->name)
                        return -ENOENT;
                size_t length = strlen(node->name);
                if (length + 1 > at)
                        return -ENAMETOOLONG;
                at -= length;
                memcpy(buffer + at, node->name, length);
                buffer[--at] = '/';
        }
        if (!buffer[at])
                buffer[--at] = '/';
        memmove(buffer, buffer + at, PATH_MAX - at);
        return 0;
}

/* The directory of that name, made if it is not there; NULL if something else is, or there is no
 * room. */
static struct node *make_directory(struct node *in, const char *name)
{
        struct node *node = node_find(in, name);
        if (!node)
                return node_create(in, name, S_IFDIR | 0755);
        return node_is(node, S_IFDIR) ? node : NULL;
}

static bool fill_entry(const struct initrd_file *file)
{
        char name[PATH_MAX], *at = name, *slash;
        struct node *directory = node_root, *node;
        memcpy(name, file->name, strlen(file->name) + 1);
        for (; directory && (slash = strchr(at, '/')); at = slash + 1) {
                *slash = 0;
                if (*at)
                        directory = make_directory(directory, at);
        }
        if (!directory || strlen(at) > NAME_MAX)
                return false;
        if (!*at || node_find(directory, at))
                return true;
        node = node_create(directory, at, file->mode & (S_IFMT | S_IALLUGO));
        if (!node)
                return false;
        if (node_is(node, S_IFLNK)) {
                if (file->size >= PATH_MAX)
                        return false;
                memcpy(name, file->data, file->size);
                name[file->size] = 0;
                return (node->target = node_text(name));
        }
        if (node_is(node, S_IFREG)) {
                node->image = file->data;
                node->image_size = file->size;
                node->size = file->size;
        }
        return true;
}

static bool fill_devices(void)
{
        static const struct {
                const char *name;
                const struct file_kind *kind;
                uint32_t device;
        } devices[] = {
                {"null", &null_kind, DEVICE(1, 3)},
                {"zero", &zero_kind, DEVICE(1, 5)},
                {"tty", &console_kind, DEVICE(5, 0)},
                {"console", &console_kind, DEVICE(5, 1)},
        };
        struct node *directory = make_directory(node_root, "dev");
        for (size_t i = 0; directory && i < sizeof devices / sizeof *devices; i++) {
                struct node *node = node_create(directory, devices[i].name, S_IFCHR | 0666);
                if (!node)
                        return false;
                node->kind = devices[i].kind;
                node->device = devices[i].device;
        }
        return directory && make_directory(node_root, "tmp");
}

const char *node_fill(const struct initrd *initrd)
{
        struct initrd_file file;
        node_root = allocate(S_IFDIR | 0755);
        if (!node_root || !fill_devices())
                return "there is no memory for it";
        node_root->parent = node_root;
        for (size_t at = 0; initrd_next(initrd, &at, &file);)
                if (!fill_entry(&file))
                        return "an entry has no place in the tree";
        return NULL;
}
