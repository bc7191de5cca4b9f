/*
 * reboot.c - reboot(2), and toll_next: a person's choice when a run has ended. For programs on the
 * command line and their children.
 */
#include "program/reboot.h"
#include "config.h"
#include "machine/console.h"
#include "lib/string.h"
#include "thread/user.h"
#include "calls.h"
#include "process/process.h"
#include "uapi.h"
#include "dev/power.h"

char run_next[RUN_NEXT];

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

long sys_toll_next(long from, AFTER_1)
{
        char words[RUN_NEXT];
        const struct config now = config;
        if (!cpu_current->measures)
                return -EPERM;
        int error = user_read_text(words, (uintptr_t)from, sizeof words);
        if (error)
                return error;
        bool known = words[0] && config_try(words);
        config = now;
        if (!known)
                return -EINVAL;
        memcpy(run_next, words, sizeof run_next);
        return 0;
}
