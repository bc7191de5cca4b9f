/*
 * ladder.c - Rubini's ladder: an empty read from user space, by INT 80h from kernel space, by
 * sys_read(), by the file's read function, and with the pointer to that kept; every kind of file.
 * (A. Rubini, "Kernel System Calls", Linux Magazine, 2000)
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
        return reads_measure(argv, "ladder", &kernel, READS_GATES);
}
