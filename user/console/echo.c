/* echo.c - prints its arguments; -n without a newline. */
#include "console.h"

int main(int argc, char **argv)
{
        bool line = argc < 2 || strcmp(argv[1], "-n");
        for (int i = line ? 1 : 2; i < argc; i++) {
                put_text(1, argv[i]);
                if (i + 1 < argc)
                        put(1, " ", 1);
        }
        return line && put(1, "\n", 1) < 0;
}
