/* calls.c - what answers a number that is no call's. */
#include "proc/calls.h"

long sys_nosys(AFTER_0)
{
        return -ENOSYS;
}
