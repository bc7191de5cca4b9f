/* reentry.c - Tollgate's own call for reentry.asm (kernel/toll.h, toll_reentry). */
#include "entry/ways.h"
#include "toll/calls.h"
#include "thread/posture.h"

extern const char reentry_stay[], reentry_move[];
extern uint64_t reentry_changed;

long sys_toll_reentry(long way, AFTER_1)
{
        static const char *const handlers[] = {NULL, reentry_stay, reentry_move};
        if (!cpu_current->measures)
                return -EPERM;
        if (ways_isolated || (unsigned long)way >= sizeof handlers / sizeof *handlers)
                return -EINVAL;
        if (!way) {
                posture_changed(cpu_current);
                return (long)reentry_changed;
        }
        reentry_changed = 0;
        descriptor_odd_ist(&posture_own(cpu_current)->gates, VECTOR_UD, handlers[way]);
        return 0;
}
