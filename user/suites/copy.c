/*
 * copy.c - what a byte costs: reads of 0 to 65,536 bytes of /dev/zero and of a file of the tree, by
 * each rung, and the copy alone. So a saved crossing can be said in bytes.
 * (A. Rubini, "Kernel System Calls", Linux Magazine, 2000: two or three ticks a byte, 100 to 150
 * bytes)
 */
#include "kernel.h"
#include "reads/reads.h"

KERNEL_FUNCTION_MAYBE(long, ladder_read, const struct ladder *ask);
KERNEL_FUNCTION_MAYBE(uintptr_t, limit_get, void);
KERNEL_FUNCTION_MAYBE(void, limit_set, uintptr_t limit);
KERNEL_DATA_MAYBE(uint8_t, ladder_buffer);

int main(int argc, char **argv)
{
        const struct reads_kernel kernel = {kernel_ladder_read, kernel_limit_get, kernel_limit_set,
                                            kernel_ladder_buffer};
        (void)argc;
        return reads_copy(argv, &kernel);
}
