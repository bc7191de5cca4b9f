/*
 * copy.c - what a byte costs: reads of 0 to 65,536 bytes of /dev/zero and of a file of the tree, by
 * each rung, and the copy alone. So a saved crossing can be said in bytes.
 * (A. Rubini, "Kernel System Calls", Linux Magazine, 2000: two or three ticks a byte, 100 to 150
 * bytes)
 */
#include "reads/reads.h"

int main(int argc, char **argv)
{
        (void)argc;
        return reads_copy(argv);
}
