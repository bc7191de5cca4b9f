/* priority.c - nice values and policies. They are stored and reported, without effect: all threads
 * take turns of one tick, under one policy, SCHED_OTHER (sched(7)). */
#include "cpu/window.h"
#include "machine/timer.h"
#include "thread/user.h"
#include "calls.h"
#include "process/identity.h"
#include "process/missing.h"
#include "process/process.h"
#include "uapi.h"

#define NICE_LEAST (-20)
#define NICE_MOST 19

static long nice_set(struct process *process, int nice)
{
        if (nice < settings_of(process)->nice && id_of(ID_USER, EFFECTIVE))
                return -EACCES;
        struct settings *settings = resource_settings(process);
        if (!settings)
                return -ENOMEM;
        settings->nice = nice;
        return 0;
}

static uint32_t number_of(const struct process *process, unsigned which)
{
        return which == PRIO_PROCESS ? process->pid
               : which == PRIO_PGRP  ? process->group
                                     : settings_of(process)->ids[ID_USER][REAL];
}

/* Sets the nice value of each process that is meant, or returns the largest result. */
static long each(unsigned which, long who, const int *nice)
{
        const struct process *named = which == PRIO_PROCESS ? process_named(who) : task()->process;
        bool is_number = which != PRIO_PROCESS && (uint32_t)who;
        uint32_t number = is_number ? (uint32_t)who : named ? number_of(named, which) : 0;
        long result = which > PRIO_USER ? -EINVAL : -ESRCH;
        for (struct process *p = processes; p && result != -EINVAL; p = p->next) {
                interrupt_window();
                if (number_of(p, which) != number)
                        continue;
                long one = nice ? nice_set(p, *nice) : NICE_MOST + 1 - settings_of(p)->nice;
                if (one < 0)
                        return one;
                result = one > result ? one : result;
        }
        return result;
}

long sys_getpriority(long which, long who, AFTER_2)
{
        return each((unsigned)which, who, NULL);
}

long sys_setpriority(long which, long who, long nice, AFTER_3)
{
        int to = (int)nice < NICE_LEAST ? NICE_LEAST : (int)nice;
        to = to > NICE_MOST ? NICE_MOST : to;
        return each((unsigned)which, who, &to);
}

#define NONE (-1)
static const int8_t most[] = {[SCHED_FIFO] = 99, [SCHED_RR] = 99, [4] = NONE, [SCHED_DEADLINE] = 0};

/* As in all these calls the number's low 32 bits count. */
long sys_sched_get_priority_max(long number, AFTER_1)
{
        unsigned index = (unsigned)number;
        return index < sizeof most && most[index] != NONE ? most[index] : -EINVAL;
}

long sys_sched_getscheduler(long pid, AFTER_1)
{
        return (int)pid < 0 ? -EINVAL : process_named(pid) ? SCHED_OTHER : -ESRCH;
}

long sys_sched_getparam(long pid, long to, AFTER_2)
{
        static const int32_t none;
        long error = to ? sys_sched_getscheduler(pid, 0, 0, 0, 0, 0) : -EINVAL;
        return error ? error : user_put((uintptr_t)to, &none);
}

long sys_sched_setscheduler(long pid, long how, long from, AFTER_3)
{
        long highest = sys_sched_get_priority_max(how, 0, 0, 0, 0, 0);
        int32_t priority;
        if (!from || (int)pid < 0 || (int)how < 0)
                return -EINVAL;
        if (user_get(&priority, (uintptr_t)from))
                return -EFAULT;
        if (sys_sched_getscheduler(pid, 0, 0, 0, 0, 0))
                return -ESRCH;
        if (highest < 0)
                return missing_request(MISSING_policy, (uint32_t)how, -EINVAL);
        if (priority < (highest > 0) || priority > highest)
                return -EINVAL;
        return (unsigned)how == SCHED_OTHER
                       ? 0
                       : missing_request(MISSING_policy, (uint32_t)how, -EPERM);
}

long sys_sched_setparam(long pid, long from, AFTER_2)
{
        return sys_sched_setscheduler(pid, SCHED_OTHER, from, 0, 0, 0);
}

long sys_sched_get_priority_min(long number, AFTER_1)
{
        long highest = sys_sched_get_priority_max(number, 0, 0, 0, 0, 0);
        return highest > 0 ? 1 : highest;
}

long sys_sched_rr_get_interval(long pid, long to, AFTER_2)
{
        static const uintptr_t turn[2] = {0, 1000000000 / TIMER_HZ};
        long error = sys_sched_getscheduler(pid, 0, 0, 0, 0, 0);
        return error ? error : user_put_words((uintptr_t)to, turn, 2);
}
