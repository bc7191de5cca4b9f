/* calls.c - Linux's calls, as many as the programs need. */
#include "proc/calls.h"
#include "proc/process.h"

long sys_nosys(AFTER_0)
{
        return -ENOSYS;
}

long sys_exit(long status, AFTER_1)
{
        process_end(status & 0xff);
        return 0;
}

long sys_exit_group(long status, long b, long c, long d, long e, long f)
{
        return sys_exit(status, b, c, d, e, f);
}

long sys_getppid(AFTER_0)
{
        return 0; /* the kernel started it */
}
