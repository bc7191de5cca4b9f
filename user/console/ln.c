/* ln.c - a second name for a file; with -s a symbolic one. */
#include "console.h"

int main(int argc, char **argv)
{
        static char place[PATH_MAX];
        int symbolic = options_take(&argv, "s");
        if (symbolic < 0 || !argv[0] || !argv[1] || argv[2])
                return usage("ln [-s] FILE NAME");
        const char *name = path_into(place, argv[1], argv[0]);
        long error = !name ? -ENAMETOOLONG : (symbolic ? symlink : link)(argv[0], name);
        return error < 0 ? complain("ln", name ? name : argv[1], error) : 0;
}
