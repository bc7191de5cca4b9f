/* cp.c - copies files, with their mode. */
#include "console.h"

static long copy(const char *from, const char *to, const char **subject)
{
        struct stat about, there;
        *subject = from;
        long source = open(from, O_RDONLY, 0);
        if (source < 0)
                return source;
        long error = fstat((int)source, &about);
        if (error >= 0 && (about.mode & S_IFMT) == S_IFDIR)
                error = -EISDIR;
        bool same = error >= 0 && stat(to, &there) >= 0 && there.device == about.device &&
                    there.inode == about.inode;
        long target = error < 0 ? error : same ? -EEXIST : 0;
        if (target >= 0) {
                *subject = to;
                target = open(to, O_WRONLY | O_CREAT | O_TRUNC, about.mode & 0777);
        }
        error = target;
        if (target >= 0) {
                error = copy_all((int)source, (int)target);
                close((int)target);
        }
        close((int)source);
        return error;
}

int main(int argc, char **argv)
{
        static char place[PATH_MAX];
        const char *subject, *target = argv[argc - 1];
        int status = 0;
        if (argc < 3)
                return usage("cp FILE NEW, or cp FILE... DIRECTORY");
        if (argc > 3 && !is_directory(target))
                return complain("cp", target, -ENOTDIR);
        for (int i = 1; i < argc - 1; i++) {
                const char *to = path_into(place, target, argv[i]);
                long error = to ? copy(argv[i], to, &subject) : -ENAMETOOLONG;
                if (error < 0)
                        status = complain("cp", to ? subject : argv[i], error);
        }
        return status;
}
