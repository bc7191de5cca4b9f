/* sleep.c - does nothing for some seconds. */
#include "console.h"

int main(int argc, char **argv)
{
        struct timespec time = {argc == 2 ? decimal(argv[1]) : -1, 0};
        if (time.seconds < 0)
                return usage("sleep SECONDS");
        long error = nanosleep(&time, NULL);
        return error < 0 ? complain("sleep", argv[1], error) : 0;
}
