/*
 * priority.c - nice values and policies. They are stored and reported, without effect: all threads
 * take turns of one tick, under one policy, SCHED_OTHER (sched(7)).
 */
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

/* --- nice values ------------------------------------------------------------------------------ */

static const struct settings *settings_of(const struct process *process)
{
        static const struct settings none;
        return process->settings ? process->settings : &none;
}

/* Whether the process is in the group, or is the user's; 0: the caller's. */
static bool is_meant(const struct process *process, bool group, uint32_t who)
{
        if (group)
                return process->group == (who ? who : task()->process->group);
        return settings_of(process)->ids[ID_USER][REAL] == (who ? who : id_of(ID_USER, REAL));
}

typedef long deed(struct process *process, int nice);

/* The largest result, or a negative one. */
static long each(unsigned which, long who, deed *act, int nice)
{
        struct process *one = which == PRIO_PROCESS ? process_named(who) : NULL;
        long result = which > PRIO_USER ? -EINVAL : one ? act(one, nice) : -ESRCH;
        if (which == PRIO_PROCESS || which > PRIO_USER)
                return result;
        for (struct process *p = processes; p && (result >= 0 || result == -ESRCH); p = p->next) {
                interrupt_window();
                long done = is_meant(p, which == PRIO_PGRP, (uint32_t)who) ? act(p, nice) : -ESRCH;
                result = done > result || (done < 0 && done != -ESRCH) ? done : result;
        }
        return result;
}

static long nice_tell(struct process *process, UNUSED int nice)
{
        return NICE_MOST + 1 - settings_of(process)->nice;
}

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

long sys_getpriority(long which, long who, AFTER_2)
{
        return each((unsigned)which, who, nice_tell, 0);
}

long sys_setpriority(long which, long who, long nice, AFTER_3)
{
        int to = (int)nice < NICE_LEAST  ? NICE_LEAST
                 : (int)nice > NICE_MOST ? NICE_MOST
                                         : (int)nice;
        return each((unsigned)which, who, nice_set, to);
}

/* --- policies --------------------------------------------------------------------------------- */

static const struct policy {
        bool is;
        int least, most; /* priorities */
} policies[] = {[SCHED_OTHER] = {true, 0, 0}, [SCHED_FIFO] = {true, 1, 99},
                [SCHED_RR] = {true, 1, 99},   [SCHED_BATCH] = {true, 0, 0},
                [SCHED_IDLE] = {true, 0, 0},  [SCHED_DEADLINE] = {true, 0, 0}};

/* As in all these calls the number's low 32 bits count. NULL = none. */
static const struct policy *policy_of(long number)
{
        unsigned index = (unsigned)number;
        bool is = index < sizeof policies / sizeof *policies && policies[index].is;
        return is ? &policies[index] : NULL;
}

static long policy_find(long pid)
{
        return (int)pid < 0 ? -EINVAL : process_named(pid) ? 0 : -ESRCH;
}

long sys_sched_getscheduler(long pid, AFTER_1)
{
        return policy_find(pid); /* SCHED_OTHER is 0 */
}

long sys_sched_getparam(long pid, long to, AFTER_2)
{
        static const int32_t none;
        long error = to ? policy_find(pid) : -EINVAL;
        return error ? error : user_put((uintptr_t)to, &none);
}

long sys_sched_setscheduler(long pid, long how, long from, AFTER_3)
{
        const struct policy *policy = policy_of(how);
        int32_t priority;
        if (!from || (int)pid < 0 || (int)how < 0)
                return -EINVAL;
        if (user_get(&priority, (uintptr_t)from))
                return -EFAULT;
        if (policy_find(pid))
                return -ESRCH;
        if (!policy || priority < policy->least || priority > policy->most)
                return -EINVAL;
        return (unsigned)how == SCHED_OTHER
                       ? 0
                       : missing_request(MISSING_policy, (uint32_t)how, -EPERM);
}

long sys_sched_setparam(long pid, long from, AFTER_2)
{
        return sys_sched_setscheduler(pid, SCHED_OTHER, from, 0, 0, 0);
}

long sys_sched_get_priority_max(long number, AFTER_1)
{
        const struct policy *policy = policy_of(number);
        return policy ? policy->most : -EINVAL;
}

long sys_sched_get_priority_min(long number, AFTER_1)
{
        const struct policy *policy = policy_of(number);
        return policy ? policy->least : -EINVAL;
}

long sys_sched_rr_get_interval(long pid, long to, AFTER_2)
{
        static const uintptr_t turn[2] = {0, 1000000000 / TIMER_HZ};
        long error = policy_find(pid);
        return error ? error : user_put_words((uintptr_t)to, turn, 2);
}
