/* mv.c - renames files. */
#include "console.h"

int main(int argc, char **argv)
{
        static char place[PATH_MAX];
        const char *target = argv[argc - 1];
        int status = 0;
        if (argc < 3)
                return usage("mv OLD NEW, or mv OLD... DIRECTORY");
        if (argc > 3 && !is_directory(target))
                return complain("mv", target, -ENOTDIR);
        for (int i = 1; i < argc - 1; i++) {
                const char *to = path_into(place, target, argv[i]);
                long error = to ? rename(argv[i], to) : -ENAMETOOLONG;
                if (error < 0)
                        status = complain("mv", argv[i], error);
        }
        return status;
}
