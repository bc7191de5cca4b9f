/* env.c - prints its environment. */
#include "console.h"

int main(int argc, char **argv, char **envp)
{
        for (; *envp; envp++)
                if (put_text(1, *envp) < 0 || put(1, "\n", 1) < 0)
                        return 1;
        return 0;
}
