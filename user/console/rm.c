/* rm.c - removes files; -f ignores missing ones. */
#include "console.h"

static long unlink_if_there(const char *path)
{
        long error = unlink(path);
        return error == -ENOENT ? 0 : error;
}

int main(int argc, char **argv)
{
        int force = options_take(&argv, "f");
        if (force < 0 || (!force && !*argv))
                return usage("rm [-f] FILE...");
        return for_each("rm", argv, force ? unlink_if_there : unlink);
}
