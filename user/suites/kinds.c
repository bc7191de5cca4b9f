/*
 * kinds.c - an empty read of every kind of file, and getpid, as usystime times a call: best of N,
 * by the program's own system call, with the C call around it. It makes no call of Tollgate's, so
 * `tollgate linux` runs the same program on Linux.
 */
#include "reads/reads.h"

int main(int argc, char **argv)
{
        (void)argc;
        return reads_anywhere(argv);
}
