/* pwd.c - prints its current directory. */
#include "console.h"

int main(void)
{
        static char path[PATH_MAX];
        long error = getcwd(path, sizeof path);
        if (error < 0)
                return complain("pwd", ".", error);
        return put_text(1, path) < 0 || put(1, "\n", 1) < 0;
}
