/* match.c - names that match a pattern: * and ? in the last part of a path. */
#include "sh.h"

static bool matches(const char *pattern, const char *name)
{
        if (*pattern == MATCH_ALL)
                return matches(pattern + 1, name) || (*name && matches(pattern, name + 1));
        if (!*pattern || !*name)
                return *pattern == *name;
        return (*pattern == MATCH_ONE || *pattern == *name) && matches(pattern + 1, name + 1);
}

/* Inserts into a sorted list. */
static void insert(char **list, unsigned count, char *name)
{
        for (; count && strcmp(list[count - 1], name) > 0; count--)
                list[count] = list[count - 1];
        list[count] = name;
}

unsigned match_names(const char *pattern, char **to, unsigned most)
{
        static char block[4096] __attribute__((aligned(8))), path[PATH_MAX];
        const char *last = pattern;
        unsigned count = 0;
        for (const char *c = pattern; *c; c++)
                last = *c == '/' ? c + 1 : last;
        int before = (int)(last - pattern);
        snprintf(path, sizeof path, "%.*s.", before, pattern);
        long got, folder = open(path, O_RDONLY | O_DIRECTORY, 0);
        while (folder >= 0 && (got = getdents64((int)folder, block, sizeof block)) > 0)
                for (long at = 0; at < got && count < most;) {
                        const struct dirent64 *entry = (const void *)(block + at);
                        at += entry->length;
                        if ((*entry->name == '.' && *last != '.') || !matches(last, entry->name))
                                continue;
                        snprintf(path, sizeof path, "%.*s%s", before, pattern, entry->name);
                        insert(to, count++, text_copy(path, strlen(path)));
                }
        if (folder >= 0)
                close((int)folder);
        return count;
}
