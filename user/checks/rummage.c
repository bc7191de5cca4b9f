/* rummage.c - reads everything on every disk, however damaged: each name, link, directory and part
 * of each file. The result must be bytes or an error; nothing may hang or be lost. */
#include "child.h"
#include "linux.h"

#define NAMES_MOST 1500 /* names of one disk: a damaged one may be circular */
#define DEPTH_MOST 6
#define CIRCLE_MOST 100000
#define OWN_PAGES 32 /* pages of this program, touched meanwhile */

static struct found {
        unsigned names, links, damaged, unreadable, other;
        unsigned long bytes;
} found;

static void count(long answer)
{
        if (answer == -EUCLEAN)
                found.damaged++;
        else if (answer == -EIO)
                found.unreadable++;
        else if (answer < 0 && answer != -ENXIO && answer != -EOVERFLOW && answer != -ENAMETOOLONG)
                found.other++;
}

static void read_some(const char *path)
{
        static const uint64_t places[] = {0, 11000, 300000, 80000000, 5000000000ull};
        static char text[4096];
        long fd = open(path, O_RDONLY | O_NOFOLLOW | O_LARGEFILE, 0);
        count(fd);
        for (unsigned i = 0; fd >= 0 && i < sizeof places / sizeof *places; i++) {
                long size = system_call(NUMBER_pread64, fd, text, sizeof text, (long)places[i],
                                        (long)(places[i] >> 32));
                count(size);
                found.bytes += size > 0 ? (unsigned long)size : 0;
        }
        close((int)fd);
}

static void look(const char *path, unsigned depth);

static void look_into(const char *path, unsigned depth)
{
        char entries[1024], name[PATH_MAX / 4];
        long fd = open(path, O_RDONLY | O_DIRECTORY, 0), size = 0;
        count(fd);
        while (fd >= 0 && found.names < NAMES_MOST &&
               (size = getdents64((int)fd, entries, sizeof entries)) > 0)
                for (long i = 0; i < size;) {
                        const struct dirent64 *entry = (const struct dirent64 *)(entries + i);
                        i += entry->length;
                        if (!strcmp(entry->name, ".") || !strcmp(entry->name, ".."))
                                continue;
                        snprintf(name, sizeof name, "%s/%s", path, entry->name);
                        look(name, depth + 1);
                }
        count(size);
        close((int)fd);
}

static void look(const char *path, unsigned depth)
{
        struct stat about;
        char target[128];
        long error = lstat(path, &about);
        uint32_t type = about.mode & S_IFMT;
        found.names++;
        count(error);
        if (error || depth > DEPTH_MOST || found.names > NAMES_MOST)
                return;
        if (type == S_IFDIR)
                look_into(path, depth);
        else if (type == S_IFLNK)
                count(readlink(path, target, sizeof target));
        else
                read_some(path);
        found.links += type == S_IFLNK;
}

/* Follows a directory that contains itself, to the maximum depth. */
static void go_round(const char *path)
{
        char name[64];
        unsigned steps = 0;
        long error;
        snprintf(name, sizeof name, "%s/circle", path);
        if (chdir(name))
                return;
        while (!(error = chdir("circle")) && steps < CIRCLE_MOST)
                steps++;
        check(error == -ENFILE, path, "a circle: %ld after %u steps", error, steps);
        chdir("/");
}

int main(void)
{
        static const char *const paths[] = {"/disk",    "/diskb",   "/diskc",   "/diskd",
                                            "/dev/hda", "/dev/hdb", "/dev/hdc", "/dev/hdd"};
        struct toll_counts before = counts_settled();
        for (unsigned i = 0; i < sizeof paths / sizeof *paths; i++) {
                struct stat about;
                if (stat(paths[i], &about))
                        continue;
                found = (struct found){0};
                look(paths[i], 0);
                go_round(paths[i]);
                check(!found.other, paths[i],
                      "%u names, %u links, %lu bytes; %u times damage, %u times not to be read",
                      found.names, found.links, found.bytes, found.damaged, found.unreadable);
        }
        struct lost lost = counts_lost(before);
        check(lost.frames <= OWN_PAGES && !lost.objects, "all disks",
              "%d frames and %d objects are lost", lost.frames, lost.objects);
        return check_status();
}
