/* wait.c - the ends of programs, and who asks for them. */
#include "lib/string.h"
#include "cpu/window.h"
#include "mem/user.h"
#include "proc/calls.h"
#include "proc/end.h"
#include "proc/process.h"
#include "uapi.h"

long sys_exit(long code, AFTER_1)
{
        process_end(STATUS_EXIT(code));
        return 0;
}

long sys_exit_group(long code, AFTER_1)
{
        process_end_group(STATUS_EXIT(code));
        return 0;
}

/* pid as wait4() has it: one child, a group's, or any. */
static bool is_meant(const struct process *p, int pid)
{
        return pid > 0     ? p->pid == (uint32_t)pid
               : pid == -1 ? true
                           : p->group == (pid ? (uint32_t)-pid : cpu_current->process->group);
}

/* Whether it has stopped or gone on since the last time, and wait4() asks for that. */
static bool has_changed(const struct process *p, unsigned options)
{
        return p->changed && options & (p->changed == STATUS_CONTINUED ? WCONTINUED : WUNTRACED);
}

static long tell(uintptr_t status_at, uintptr_t usage_at, long pid, int status)
{
        static const uintptr_t nothing[18]; /* struct rusage */
        if ((status_at && user_put(status_at, &status)) ||
            (usage_at && user_put_words(usage_at, nothing, 18)))
                return -EFAULT;
        return pid;
}

static long reap(struct process *child, uintptr_t status_at, uintptr_t usage_at)
{
        long pid = (long)child->pid;
        int status = child->status;
        process_reap(child);
        return tell(status_at, usage_at, pid, status);
}

long sys_wait4(long pid, long status_at, long options, long usage_at, AFTER_4)
{
        const unsigned known = WNOHANG | WUNTRACED | WCONTINUED | WNOTHREAD | WALL | WCLONE;
        if ((unsigned)options & ~known)
                return -EINVAL;
        if ((int)pid == INT32_MIN) /* the group that it would name is no number */
                return -ESRCH;
        for (;;) {
                bool any = false;
                for (struct process *p = cpu_current->process->child; p; p = p->sibling) {
                        if (p->forgotten || !is_meant(p, (int)pid))
                                continue;
                        interrupt_window();
                        any = true;
                        if (!p->threads)
                                return reap(p, (uintptr_t)status_at, (uintptr_t)usage_at);
                        if (has_changed(p, (unsigned)options)) {
                                int status = p->changed;
                                p->changed = 0;
                                return tell((uintptr_t)status_at, (uintptr_t)usage_at, (long)p->pid,
                                            status);
                        }
                }
                if (!any)
                        return -ECHILD;
                if (options & WNOHANG)
                        return 0;
                if (!wait_on(&cpu_current->process->children))
                        return call_interrupted(ERESTARTSYS);
        }
}

long sys_waitpid(long pid, long status_at, long options, AFTER_3)
{
        return sys_wait4(pid, status_at, options, 0, 0, 0);
}
