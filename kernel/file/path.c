/* path.c - path lookup: `.`, `..`, symbolic links, trailing slashes. */
#include "file/path.h"
#include "cpu/window.h"
#include "errno.h"
#include "lib/string.h"
#include "mem/space.h"

#define STEPS_MOST 4096 /* names on the way: twice what a path without links can have */
#define PIECE 64        /* bytes of a path that are read at a time; pages hold whole ones */

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

/* Ends the component at `at`; what follows it, behind one slash. */
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

int path_walk(struct path *path, struct node *from, char buffer[PATH_MAX], bool follow)
{
        struct node *start = *buffer == '/' || !from ? node_root : from;
        unsigned links = 0, steps = 0;
        char *at = buffer;
        *path = (struct path){start, start, "", false};
        if (!*buffer)
                return -ENOENT;
        while (*(at = skip_slashes(at))) {
                interrupt_window();
                if (++steps > STEPS_MOST)
                        return -ELOOP;
                if (!path->node)
                        return -ENOENT;
                if (!node_is(path->node, S_IFDIR))
                        return -ENOTDIR;
                path->directory = path->node;
                path->name = at;
                char *rest = end_component(at, &path->slash);
                if (strlen(at) > NAME_MAX)
                        return -ENAMETOOLONG;
                path->node = node_find(path->directory, at);
                at = rest;
                if (!path->node || !node_is(path->node, S_IFLNK) || !(path->slash || follow))
                        continue;
                if (++links > LINKS_MOST)
                        return -ELOOP;
                interrupt_window();
                int error = splice(buffer, path->node->target, path->slash, rest);
                if (error)
                        return error;
                at = buffer;
                path->node = *buffer == '/' ? node_root : path->directory;
        }
        return path->slash && path->node && !node_is(path->node, S_IFDIR) ? -ENOTDIR : 0;
}

struct node *path_find(const char *text, int *error)
{
        static char buffer[PATH_MAX];
        struct path path;
        size_t size = strlen(text) + 1;
        *error = -ENAMETOOLONG;
        if (size > PATH_MAX)
                return NULL;
        *error = path_walk(&path, NULL, memcpy(buffer, text, size), true);
        if (!*error && !path.node)
                *error = -ENOENT;
        return *error ? NULL : path.node;
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
