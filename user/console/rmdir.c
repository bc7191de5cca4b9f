/* rmdir.c - removes empty folders. */
#include "console.h"

int main(int argc, char **argv)
{
        return argc < 2 ? usage("rmdir FOLDER...") : for_each("rmdir", argv + 1, rmdir);
}
