/* reboot.c - reboot(2), for the programs that the command line names, and what these fork. */
#include "calls.h"
#include "uapi.h"
#include "dev/power.h"

long sys_reboot(long first, long second, long command, AFTER_3)
{
        static const uint32_t seconds[] = {REBOOT_MAGIC2, REBOOT_MAGIC2A, REBOOT_MAGIC2B,
                                           REBOOT_MAGIC2C};
        bool meant = false;
        if (!cpu_current->measures)
                return -EPERM;
        for (size_t i = 0; i < sizeof seconds / sizeof *seconds; i++)
                meant |= (uint32_t)second == seconds[i];
        if ((uint32_t)first != REBOOT_MAGIC1 || !meant)
                return -EINVAL;
        switch ((uint32_t)command) {
        case REBOOT_RESTART: reset();
        case REBOOT_POWER_OFF: power_off();
        default: return -EINVAL;
        }
}
