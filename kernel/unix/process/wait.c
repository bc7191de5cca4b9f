/* wait.c - waiting for the ends of processes. */
#include "lib/string.h"
#include "cpu/window.h"
#include "thread/user.h"
#include "calls.h"
#include "process/end.h"
#include "process/process.h"
#include "uapi.h"
#include "process/signal.h"
#include "process/usage.h"

#define P_ALL 0 /* waitid() */
#define P_PID 1
#define P_PGID 2

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

/* pid as in wait4(): one child, a group's, or any. */
static bool is_meant(const struct process *p, int pid)
{
        return pid > 0     ? p->pid == (uint32_t)pid
               : pid == -1 ? true
                           : p->group == (pid ? (uint32_t)-pid : task()->process->group);
}

/* Whether a child stopped or continued since the last report, and wait4() asks for it. */
static bool has_changed(const struct process *p, unsigned options)
{
        return p->changed && options & (p->changed == STATUS_CONTINUED ? WCONTINUED : WUNTRACED);
}

struct outcome {
        int status; /* as for wait4() */
        struct usage usage;
};

static void reap(struct process *child)
{
        struct usage *children = &task()->process->of_children;
        usage_add(children, &child->usage);
        usage_add(children, &child->of_children);
        process_reap(child);
}

/* Takes a child's change of state, once (unless WNOWAIT). False = none. */
static bool take_news(struct process *child, unsigned options, struct outcome *news)
{
        *news = (struct outcome){child->status, usage_of(child)};
        usage_add(&news->usage, &child->of_children);
        if (!child->threads && options & WEXITED) {
                if (!(options & WNOWAIT))
                        reap(child);
                return true;
        }
        if (!child->threads || !has_changed(child, options))
                return false;
        news->status = child->changed;
        if (!(options & WNOWAIT))
                child->changed = 0;
        return true;
}

/* The pid of a child that changed; 0 = none yet (WNOHANG), or -errno. */
static long wait_for(int pid, unsigned options, struct outcome *news)
{
        for (;;) {
                bool any = false;
                for (struct process *p = task()->process->child; p; p = p->sibling) {
                        long found = (long)p->pid;
                        if (p->forgotten || !is_meant(p, pid))
                                continue;
                        interrupt_window();
                        any = true;
                        if (take_news(p, options, news))
                                return found;
                }
                if (!any)
                        return -ECHILD;
                if (options & WNOHANG)
                        return 0;
                if (!wait_on(&task()->process->children))
                        return call_interrupted(ERESTARTSYS);
        }
}

long sys_wait4(long pid, long status_at, long options, long usage_at, AFTER_4)
{
        const unsigned known = WNOHANG | WUNTRACED | WCONTINUED | WNOTHREAD | WALL | WCLONE;
        struct outcome news;
        if ((unsigned)options & ~known)
                return -EINVAL;
        if ((int)pid == INT32_MIN) /* its negative is not a valid group */
                return -ESRCH;
        long found = wait_for((int)pid, (unsigned)options | WEXITED, &news);
        if (found > 0 && ((status_at && user_put((uintptr_t)status_at, &news.status)) ||
                          (usage_at && usage_write((uintptr_t)usage_at, &news.usage))))
                return -EFAULT;
        return found;
}

/* SIGCHLD's information for a status of wait4(). */
static struct signal_info told(long pid, int status)
{
        int signal = status & 0x7f;
        bool stopped = (status & 0xff) == 0x7f, goes_on = status == STATUS_CONTINUED;
        return (struct signal_info){
                .signal = SIGCHLD,
                .code = goes_on   ? CLD_CONTINUED
                        : stopped ? CLD_STOPPED
                        : signal  ? CLD_KILLED
                                  : CLD_EXITED,
                .sender = (uint32_t)pid,
                .value = (uintptr_t)(goes_on              ? SIGCONT
                                     : stopped || !signal ? status >> 8
                                                          : signal),
        };
}

long sys_waitid(long type, long id, long to, long options, long usage_at, AFTER_5)
{
        const unsigned news_wanted = WEXITED | WSTOPPED | WCONTINUED,
                       known = news_wanted | WNOHANG | WNOWAIT | WNOTHREAD | WALL | WCLONE;
        struct outcome news;
        struct signal_info info = {0};
        int pid = type == P_ALL ? -1 : type == P_PID ? (int)id : -(int)id;
        if ((unsigned)options & ~known || !((unsigned)options & news_wanted) ||
            (unsigned long)type > P_PGID || (type == P_PID && (int)id <= 0) ||
            (type == P_PGID && (int)id < 0))
                return -EINVAL;
        if (type == P_PGID && !(int)id)
                pid = 0;
        long found = wait_for(pid, (unsigned)options, &news);
        if (found < 0)
                return found;
        if (found)
                info = told(found, news.status);
        if ((found && usage_at && usage_write((uintptr_t)usage_at, &news.usage)) ||
            (to && siginfo_write((uintptr_t)to, &info)))
                return -EFAULT;
        return 0;
}

long sys_waitpid(long pid, long status_at, long options, AFTER_3)
{
        return sys_wait4(pid, status_at, options, 0, 0, 0);
}
