/* files.c - Rubini's Table One: an empty read of every kind of file, from user and kernel space;
 * and the cost of a bad pointer. (A. Rubini, "Kernel System Calls", Linux Magazine, 2000) */
#include "reads/reads.h"

int main(int argc, char **argv)
{
        return reads_measure(argv, "files", READS_FAULT);
}
