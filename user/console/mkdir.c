/* mkdir.c - makes directories. */
#include "console.h"

static long make(const char *path)
{
        return mkdir(path, 0755);
}

int main(int argc, char **argv)
{
        return argc < 2 ? usage("mkdir DIRECTORY...") : for_each("mkdir", argv + 1, make);
}
