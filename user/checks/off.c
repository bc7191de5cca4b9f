/* off.c - switches the machine off, as far as the firmware's tables say how. */
#include "linux.h"

int main(void)
{
        return system_call(NUMBER_reboot, REBOOT_MAGIC1, REBOOT_MAGIC2, REBOOT_POWER_OFF) ? 1 : 0;
}
