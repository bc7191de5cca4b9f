/* prctl.c - prctl(): a thread's name, and signals at the end of a parent (prctl(2)). */
#include "lib/string.h"
#include "thread/user.h"
#include "calls.h"
#include "process/missing.h"
#include "process/process.h"
#include "process/resource.h"
#include "uapi.h"

void task_name(const struct thread *thread, char name[TASK_NAME])
{
        const char *last = task_of(thread)->name;
        if (!*last)
                last = task_of(thread)->process->path;
        for (const char *c = last; *c && !*task_of(thread)->name; c++)
                if (*c == '/' && c[1])
                        last = c + 1;
        size_t length = strlen(last) < TASK_NAME ? strlen(last) : TASK_NAME - 1;
        memset(name, 0, TASK_NAME);
        memcpy(name, last, length);
}

static long set_name(uintptr_t from)
{
        char name[TASK_NAME] = "";
        for (size_t i = 0; i < TASK_NAME - 1 && (!i || name[i - 1]); i++)
                if (user_get(&name[i], from + i))
                        return -EFAULT;
        memcpy(task()->name, name, TASK_NAME);
        return 0;
}

static long tell_name(uintptr_t to)
{
        char name[TASK_NAME];
        task_name(cpu_current, name);
        return user_put(to, &name);
}

static long prctl_tell(uintptr_t to, int32_t value)
{
        return user_put(to, &value);
}

static long set_flags(unsigned option, bool on)
{
        struct settings *settings = resource_settings(task()->process);
        if (!settings)
                return -ENOMEM;
        *(option == PR_SET_DUMPABLE ? &settings->undumpable : &settings->adopts) = on;
        return 0;
}

long sys_prctl(long option, long argument, AFTER_2)
{
        const struct settings *settings = settings_of(task()->process);
        uintptr_t at = (uintptr_t)argument;
        switch ((unsigned)option) {
        case PR_SET_PDEATHSIG:
                if (at > SIGNALS)
                        return -EINVAL;
                task()->death_signal = (uint8_t)at;
                return 0;
        case PR_GET_PDEATHSIG: return prctl_tell(at, task()->death_signal);
        case PR_SET_NAME: return set_name(at);
        case PR_GET_NAME: return tell_name(at);
        case PR_GET_DUMPABLE: return !settings->undumpable;
        case PR_SET_DUMPABLE: return at > 1 ? -EINVAL : set_flags(PR_SET_DUMPABLE, !at);
        case PR_SET_CHILD_SUBREAPER: return set_flags(PR_SET_CHILD_SUBREAPER, at);
        case PR_GET_CHILD_SUBREAPER: return prctl_tell(at, settings->adopts);
        default: return missing_request(MISSING_prctl, (uint32_t)option, -EINVAL);
        }
}
