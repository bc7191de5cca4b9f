/* copy.c - the cost of a byte: reads of 0 to 65,536 bytes from /dev/zero and from a file of the
 * tree, by each method, and copying alone. So a saved crossing can be expressed in bytes. (A.
 * Rubini, "Kernel System Calls", Linux Magazine, 2000: two or three ticks a byte, 100 to 150 bytes)
 */
#include "reads/reads.h"

int main(int argc, char **argv)
{
        return reads_copy(argv);
}
