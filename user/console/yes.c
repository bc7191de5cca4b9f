/* yes.c - prints a line, `y` by default, again and again. */
#include "console.h"

int main(int argc, char **argv)
{
        static char block[4096];
        const char *word = argc > 1 ? argv[1] : "y";
        size_t length = strlen(word), size = 0;
        if (length + 1 > sizeof block)
                return complain("yes", "the word", -ENAMETOOLONG);
        while (size + length + 1 <= sizeof block) {
                memcpy(block + size, word, length);
                block[size + length] = '\n';
                size += length + 1;
        }
        for (;;) {
                long error = put(1, block, size);
                if (error < 0)
                        return complain("yes", "standard output", error);
        }
}
