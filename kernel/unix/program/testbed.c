/* testbed.c - the testbed's calls that need a device (kernel/toll.h). */
#include "calls.h"
#include "dev/cmos.h"
#include "dev/keyboard.h"

long sys_toll_key(long code, AFTER_1)
{
        if (!cpu_current->measures)
                return -EPERM;
        return keyboard_type((uint8_t)code) ? 0 : -ENODEV;
}

long sys_toll_remember(long on, AFTER_1)
{
        if (!cpu_current->measures || !cpu_current->trusted)
                return -EPERM;
        if (on)
                return cmos_remember() ? 0 : -EBUSY;
        cmos_forget();
        return 0;
}
