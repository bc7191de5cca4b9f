/* ls.c - the entries of directories, by name; -l with kind, mode, links and size, -a with dot
 * files.
 */
#include "console.h"

#define NAMES 1024
#define TEXT 65536

static char text[TEXT];
static const char *names[NAMES];
static bool wants_details, wants_all, several;

static char kind_of(uint32_t mode)
{
        static const char letters[16] = "?pc?d?b?-?l?s???";
        return letters[mode >> 12 & 15];
}

static void show_details(const struct stat *about)
{
        char mode[] = "?rwxrwxrwx";
        mode[0] = kind_of(about->mode);
        for (int bit = 0; bit < 9; bit++)
                if (!(about->mode >> (8 - bit) & 1))
                        mode[bit + 1] = '-';
        put_format(1, "%s %3u %8llu ", mode, (unsigned)about->links,
                   (unsigned long long)about->size);
}

static long show(const char *path, const char *name)
{
        static char target[PATH_MAX];
        struct stat about;
        if (wants_details) {
                long error = lstat(path, &about);
                if (error < 0)
                        return error;
                show_details(&about);
        }
        put_text(1, name);
        if (wants_details && (about.mode & S_IFMT) == S_IFLNK) {
                long length = readlink(path, target, sizeof target - 1);
                target[length < 0 ? 0 : length] = 0;
                put_text(1, " -> ");
                put_text(1, target);
        }
        return put(1, "\n", 1);
}

/* Keeps names[0..count) in order. */
static void insert(const char *name, unsigned count)
{
        for (; count && strcmp(names[count - 1], name) > 0; count--)
                names[count] = names[count - 1];
        names[count] = name;
}

/* The number of names, or -errno. */
static long read_names(int descriptor)
{
        static char block[4096] __attribute__((aligned(8)));
        size_t used = 0;
        unsigned count = 0;
        long got;
        while ((got = getdents64(descriptor, block, sizeof block)) > 0) {
                for (long at = 0; at < got;) {
                        const struct dirent64 *entry = (const void *)(block + at);
                        size_t size = strlen(entry->name) + 1;
                        at += entry->length;
                        if (entry->name[0] == '.' && !wants_all)
                                continue;
                        if (count == NAMES || used + size > TEXT)
                                return -E2BIG;
                        insert(memcpy(text + used, entry->name, size), count++);
                        used += size;
                }
        }
        return got < 0 ? got : (long)count;
}

static long list(const char *path)
{
        static char place[PATH_MAX];
        long descriptor = open(path, O_RDONLY | O_DIRECTORY, 0);
        if (descriptor == -ENOTDIR)
                return show(path, path);
        if (descriptor < 0)
                return descriptor;
        if (several)
                put_format(1, "%s:\n", path);
        long count = read_names((int)descriptor);
        for (long i = 0; i < count; i++) {
                long error = path_join(place, path, names[i]);
                error = error < 0 ? error : show(place, names[i]);
                if (error < 0) {
                        close((int)descriptor);
                        return error;
                }
        }
        close((int)descriptor); /* closed late: /proc/self/fd shows it, too */
        return count;
}

int main(int argc, char **argv)
{
        static char *here[] = {".", NULL};
        int given = options_take(&argv, "la1");
        if (given < 0)
                return usage("ls [-la] [PATH...]");
        wants_details = given & 1;
        wants_all = given & 2;
        several = *argv && argv[1];
        return for_each("ls", *argv ? argv : here, list);
}
