/* path.c - path lookup: `.`, `..`, symbolic links, trailing slashes, mounts. */
#include "file/path.h"
#include "cpu/window.h"
#include "errno.h"
#include "file/file.h"
#include "file/fs.h"
#include "lib/string.h"
#include "mem/heap.h"
#include "thread/user.h"
#include "process/task.h"

#define STEPS_MOST 4096 /* components of a look-up: twice the most that a plain path can have */
#define PIECE 64        /* bytes of a path read at a time; they divide a page */

/* Writes a link's target in front of the rest of the path. */
static int splice(char buffer[PATH_MAX], const char *target, bool slash, const char *rest)
{
        size_t length = strlen(target), left = strlen(rest) + 1;
        if (length + slash + left > PATH_MAX)
                return -ENAMETOOLONG;
        memmove(buffer + length + slash, rest, left);
        memcpy(buffer, target, length);
        if (slash)
                buffer[length] = '/';
        return 0;
}

/* Ends the component at `at`; returns the text behind it, without one slash. */
static char *end_component(char *at, bool *slash)
{
        while (*at && *at != '/')
                at++;
        *slash = *at;
        *at = 0;
        return at + *slash;
}

static char *skip_slashes(char *at)
{
        while (*at == '/')
                at++;
        return at;
}

/* Continues at `node`, taking over the caller's use. */
static void step_to(struct path *path, struct node *node)
{
        node_release(path->node);
        path->node = node;
}

/* The last component's node, or the root of a file system mounted there. */
static int path_look(struct path *path)
{
        struct node *directory = path->directory, *found = NULL;
        int error = 0;
        if (!strcmp(path->name, "."))
                found = node_hold(directory);
        else if (!strcmp(path->name, ".."))
                found = node_hold(directory->parent);
        else
                error = directory->kind->find(directory, path->name, &found);
        if (found && found->mounted) {
                struct node *root = node_hold(found->mounted);
                node_release(found);
                found = root;
        }
        step_to(path, found);
        return error == -ENOENT ? 0 : error;
}

int path_again(struct path *path)
{
        return *path->name ? path_look(path) : 0;
}

/* path->node is a link; `*at` is the text behind it. */
static int follow_link(struct path *path, char **at)
{
        struct node *link = path->node, *to = NULL;
        int error;
        path->name = "";
        if (!work_goes_on())
                return -EINTR;
        if (link->kind->follow) {
                error = link->kind->follow(link, &to);
                if (!error)
                        step_to(path, to);
                return error;
        }
        char *target = heap_take(PATH_MAX);
        error = target ? link->kind->target(link, target) : -ENOMEM;
        interrupt_window();
        if (!error)
                error = splice(path->buffer, target, path->slash, *at);
        interrupt_window();
        heap_free(target);
        if (error)
                return error;
        *at = path->buffer;
        step_to(path, node_hold(*path->buffer == '/' ? node_root : path->directory));
        return 0;
}

/* Whether to follow a symbolic link. */
static bool is_followed(const struct path *path, char *rest, enum last last)
{
        return *skip_slashes(rest) || last == LAST_TARGET || (last == LAST_LINK && path->slash) ||
               (last == LAST_MADE && !path->slash);
}

int path_walk(struct path *path, struct node *from, enum last last)
{
        struct node *start = *path->buffer == '/' || !from ? node_root : from;
        unsigned links = 0, steps = 0;
        char *at = path->buffer;
        if (!*at)
                return -ENOENT;
        path->directory = node_hold(start);
        path->node = node_hold(start);
        path->name = "";
        while (*(at = skip_slashes(at))) {
                interrupt_window();
                if (!(++steps % 8)) {
                        int error = steps > STEPS_MOST ? -ELOOP : work_goes_on() ? 0 : -EINTR;
                        if (error)
                                return error;
                }
                if (!path->node)
                        return -ENOENT;
                if (!node_is(path->node, S_IFDIR))
                        return -ENOTDIR;
                node_release(path->directory);
                path->directory = node_hold(path->node);
                path->name = at;
                at = end_component(at, &path->slash);
                if (strlen(path->name) > NAME_MAX)
                        return -ENAMETOOLONG;
                int error = path_look(path);
                if (error)
                        return error;
                if (!path->node || !node_is(path->node, S_IFLNK) || !is_followed(path, at, last))
                        continue;
                if (++links > LINKS_MOST)
                        return -ELOOP;
                error = follow_link(path, &at);
                if (error)
                        return error;
        }
        return 0;
}

int path_is_meant(const struct path *path)
{
        return path->slash && path->node && !node_is(path->node, S_IFDIR) ? -ENOTDIR : 0;
}

void path_release(struct path *path)
{
        node_release(path->node);
        node_release(path->directory);
        heap_free(path->buffer);
}

bool path_is_special(const char *name)
{
        return !*name || !strcmp(name, ".") || !strcmp(name, "..");
}

int path_make(struct path *path, uint32_t mode, const char *target)
{
        struct node *directory = path->directory;
        if (path->node || path_is_special(path->name))
                return -EEXIST;
        if (path->slash && (mode & S_IFMT) != S_IFDIR)
                return -ENOENT;
        if (directory->kind->create)
                return directory->kind->create(directory, path->name, mode, target, &path->node);
        return directory->kind->uncreated ? directory->kind->uncreated : node_refusal(directory);
}

static inline int walk_to(struct path *path, const char *text, struct node *from)
{
        *path = (struct path){.buffer = heap_take(PATH_MAX)};
        size_t size = strlen(text) + 1;
        int error = !path->buffer ? -ENOMEM : size > PATH_MAX ? -ENAMETOOLONG : 0;
        if (!error) {
                memcpy(path->buffer, text, size);
                error = path_walk(path, from, LAST_TARGET);
        }
        if (!error)
                error = path_is_meant(path);
        return error || path->node ? error : -ENOENT;
}

int path_to(struct path *path, const char *text, struct node *from)
{
        return walk_to(path, text, from);
}

struct node *path_find(const char *text, struct node *from, int *error)
{
        struct path path;
        struct node *node = NULL;
        *error = walk_to(&path, text, from);
        if (!*error)
                node = node_hold(path.node);
        path_release(&path);
        return node;
}

int path_read(char buffer[PATH_MAX], uintptr_t from)
{
        for (size_t at = 0; at < PATH_MAX;) {
                size_t part = PIECE - (from & (PIECE - 1));
                if (part > PATH_MAX - at)
                        part = PATH_MAX - at;
                interrupt_window();
                if (user_read(buffer + at, from, part))
                        return -EFAULT;
                for (size_t end = at + part; at < end; at++, from++)
                        if (!buffer[at])
                                return 0;
        }
        return -ENAMETOOLONG;
}

/* Start of a program's path: NULL = /. */
static int start_of(struct node **from, long fd, const char *text)
{
        const struct file *file = file_of(fd);
        bool relative = (int)fd != AT_FDCWD && *text != '/';
        if (relative && !file)
                return -EBADF;
        if (relative && !file->node)
                return -ENOTDIR;
        *from = relative ? file->node : task()->fs->directory;
        return 0;
}

int path_at(struct path *path, long fd, long text, enum last last)
{
        struct node *from = NULL;
        *path = (struct path){.buffer = heap_take(PATH_MAX)};
        int error = path->buffer ? path_read(path->buffer, (uintptr_t)text) : -ENOMEM;
        if (!error)
                error = start_of(&from, fd, path->buffer);
        if ((error == -ENOTDIR || error == -EBADF) && !*path->buffer) /* Linux looks at it first */
                error = -ENOENT;
        return error ? error : path_walk(path, from, last);
}

int node_at(struct node **node, long fd, long text, bool follow)
{
        struct path path;
        int error = path_at(&path, fd, text, follow ? LAST_TARGET : LAST_LINK);
        if (!error)
                error = path.node ? path_is_meant(&path) : -ENOENT;
        *node = error ? NULL : node_hold(path.node);
        path_release(&path);
        return error;
}

bool path_is_empty(long text, long flags)
{
        char first;
        return flags & AT_EMPTY_PATH && !user_get(&first, (uintptr_t)text) && !first;
}

int node_meant(struct node **node, long fd, long text, long flags, bool follow)
{
        if (!path_is_empty(text, flags))
                return node_at(node, fd, text, follow);
        const struct file *file = file_of(fd);
        struct node *here = task()->fs->directory; /* NULL = / */
        struct node *open = file ? file->node : here ? here : node_root;
        *node = open ? node_hold(open) : NULL;
        return file || (int)fd == AT_FDCWD ? 0 : -EBADF;
}
