/* head.c - prints the first lines of files: ten, or -n LINES. */
#include "console.h"

static long lines = 10;

static long show(int descriptor, const char *path)
{
        static char block[4096];
        for (long left = lines; left > 0;) {
                long got = read(descriptor, block, sizeof block), end = 0;
                if (got <= 0)
                        return got;
                while (end < got && left > 0)
                        left -= block[end++] == '\n';
                long error = put(1, block, (size_t)end);
                if (error < 0)
                        return error;
        }
        return 0;
}

int main(int argc, char **argv)
{
        int first = 1;
        if (argc > 2 && !strcmp(argv[1], "-n")) {
                lines = decimal(argv[2]);
                first = 3;
        } else if (argc > 1 && argv[1][0] == '-' && argv[1][1]) {
                lines = decimal(argv[1] + 1);
                first = 2;
        }
        if (lines < 0)
                return usage("head [-n LINES] [FILE...]");
        return for_each_file("head", argv + first, show);
}
