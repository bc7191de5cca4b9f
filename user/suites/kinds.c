/* kinds.c - an empty read of every kind of file, and getpid, timed like usystime: best of N, by the
 * program's own system call, including the C call around it. It makes no Tollgate calls, so
 * `tollgate linux` runs the same program on Linux. */
#include "reads/reads.h"

int main(int argc, char **argv)
{
        return reads_anywhere(argv);
}
