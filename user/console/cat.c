/* cat.c - prints the files, one after the other. */
#include "console.h"

static long show(int descriptor, const char *path)
{
        return copy_all(descriptor, 1);
}

int main(int argc, char **argv)
{
        return for_each_file("cat", argv + 1, show);
}
