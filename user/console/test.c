/* test.c - a condition as an exit status: -e -d -f PATH, -n -z TEXT, TEXT = TEXT, TEXT != TEXT. */
#include "console.h"

static bool has_mode(const char *path, uint32_t mode)
{
        struct stat about;
        return stat(path, &about) >= 0 && (!mode || (about.mode & S_IFMT) == mode);
}

int main(int argc, char **argv)
{
        if (argc <= 2)
                return argc < 2 || !*argv[1];
        if (argc == 3 && argv[1][0] == '-') {
                switch (argv[1][1]) {
                case 'e': return !has_mode(argv[2], 0);
                case 'd': return !has_mode(argv[2], S_IFDIR);
                case 'f': return !has_mode(argv[2], S_IFREG);
                case 'n': return !*argv[2];
                case 'z': return *argv[2] != 0;
                }
        }
        if (argc == 4 && !strcmp(argv[2], "="))
                return strcmp(argv[1], argv[3]) != 0;
        if (argc == 4 && !strcmp(argv[2], "!="))
                return strcmp(argv[1], argv[3]) == 0;
        return usage("test -e|-d|-f PATH, test -n|-z TEXT, test TEXT =|!= TEXT");
}
