/* ladder.c - Rubini's ladder: an empty read from user space, by INT 80h from kernel space, by
 * sys_read(), by the file's read function, and by a saved pointer to it; for every kind of file.
 * (A. Rubini, "Kernel System Calls", Linux Magazine, 2000) */
#include "reads/reads.h"

int main(int argc, char **argv)
{
        return reads_measure(argv, "ladder", READS_GATES);
}
