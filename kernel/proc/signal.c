/* signal.c - signals. */
#include "proc/signal.h"

void signal_send(struct process *process, const struct signal_info *info)
{
        (void)process, (void)info;
}

int signal_send_group(uint32_t group, const struct signal_info *info)
{
        (void)group, (void)info;
        return -3;
}
