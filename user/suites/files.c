/*
 * files.c - Rubini's Table One: an empty read of every kind of file, from user and kernel space;
 * and what a bad pointer costs. (A. Rubini, "Kernel System Calls", Linux Magazine, 2000)
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
        return reads_measure(argv, "files", &kernel, READS_FAULT);
}
