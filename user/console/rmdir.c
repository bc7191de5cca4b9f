/* rmdir.c - removes empty directories. */
#include "console.h"

int main(int argc, char **argv)
{
        return argc < 2 ? usage("rmdir DIRECTORY...") : for_each("rmdir", argv + 1, rmdir);
}
