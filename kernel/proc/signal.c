/* signal.c - what a process does about which signal; sending; what is pending. */
#include "proc/signal.h"
#include "mem/heap.h"
#include "proc/process.h"
#include "proc/sigframe.h"

/* What happens by default; the rest ends the process (signal(7)). */
#define IGNORED                                                                                    \
        (SIGNAL_BIT(SIGCHLD) | SIGNAL_BIT(SIGCONT) | SIGNAL_BIT(SIGURG) | SIGNAL_BIT(SIGWINCH))
#define STOPS                                                                                      \
        (SIGNAL_BIT(SIGSTOP) | SIGNAL_BIT(SIGTSTP) | SIGNAL_BIT(SIGTTIN) | SIGNAL_BIT(SIGTTOU))

struct signal_actions *signal_actions_create(void)
{
        struct signal_actions *actions = heap_allocate(sizeof *actions);
        if (actions)
                actions->users = 1;
        return actions;
}

struct signal_actions *signal_actions_copy(const struct signal_actions *from)
{
        struct signal_actions *actions = heap_allocate(sizeof *actions);
        if (actions) {
                *actions = *from;
                actions->users = 1;
        }
        return actions;
}

void signal_actions_release(struct signal_actions *actions)
{
        if (actions && !--actions->users)
                heap_free(actions);
}

/* What is ignored stays ignored. */
void signal_actions_reset(struct signal_actions *actions)
{
        for (int signal = 1; signal <= SIGNALS; signal++) {
                struct signal_action *a = &actions->of[signal];
                *a = (struct signal_action){.handler = a->handler == SIG_IGN ? SIG_IGN : SIG_DFL};
        }
}

bool signal_ignored(const struct thread *thread, int signal)
{
        uintptr_t handler = thread->actions->of[signal].handler;
        return handler == SIG_IGN || (handler == SIG_DFL && IGNORED & SIGNAL_BIT(signal));
}

bool signal_stops(int signal)
{
        return STOPS & SIGNAL_BIT(signal);
}

bool signal_wanted(const struct thread *thread)
{
        uint64_t open = thread->signals.pending & ~thread->signals.mask;
        for (int signal = 1; open; signal++, open >>= 1)
                if (open & 1 && !signal_ignored(thread, signal))
                        return true;
        return false;
}

static void mark(struct thread *thread, const struct signal_info *info)
{
        struct signal_state *s = &thread->signals;
        s->pending |= SIGNAL_BIT(info->signal);
        if (info->signal < 32)
                s->info[info->signal] = *info;
        if (thread == cpu_current)
                work_add(WORK_SIGNAL);
        else
                thread->work |= WORK_SIGNAL;
}

/* True = its program had been stopped. */
static bool go_on(const struct thread *thread)
{
        bool stopped = false;
        for (struct thread *p = threads; p; p = p->next) {
                if (p->pid != thread->pid)
                        continue;
                if (p->state == THREAD_STOPPED || *work_of(p) & WORK_STOP)
                        stopped = true;
                *work_of(p) &= (uint8_t)~WORK_STOP;
                if (p->state == THREAD_STOPPED)
                        wake(p);
        }
        return stopped;
}

/* SIGCONT and the signals that stop take each other back. */
static void cancel(struct thread *thread, uint64_t signals)
{
        thread->signals.pending &= ~signals;
}

static bool is_started_by_kernel(uint32_t pid)
{
        const struct thread *first = process_first_thread(pid);
        return first && first->kept;
}

/* Who may signal whom: every program every other, and itself; but the program that the kernel
 * started, as Linux's init, hears of others only what it has a handler for. What is no program's
 * word (a key, a fault, a child's end) has a code above SI_USER. */
__attribute__((noinline)) static bool may_signal(const struct thread *to,
                                                 const struct signal_info *info)
{
        return info->code > SI_USER || to->pid == cpu_current->pid ||
               to->actions->of[info->signal].handler != SIG_DFL || !is_started_by_kernel(to->pid);
}

void signal_send(struct thread *thread, const struct signal_info *info)
{
        struct signal_state *s = &thread->signals;
        int signal = info->signal;
        bool blocked = s->mask & SIGNAL_BIT(signal);
        if (thread->state == THREAD_ENDED || (thread != cpu_current && !may_signal(thread, info)))
                return;
        if (signal_stops(signal))
                cancel(thread, SIGNAL_BIT(SIGCONT));
        if (signal == SIGCONT)
                cancel(thread, STOPS);
        if ((signal == SIGCONT || signal == SIGKILL) && go_on(thread) && signal == SIGCONT)
                signal_changed(thread, CLD_CONTINUED, SIGCONT);
        if ((!blocked && signal_ignored(thread, signal)) || s->pending & SIGNAL_BIT(signal))
                return;
        mark(thread, info);
        if (!blocked && thread->state == THREAD_SLEEPING)
                wake(thread);
}

void signal_changed(struct thread *thread, int code, int signal)
{
        struct thread *first = process_first_thread(thread->pid);
        if (first && first->state != THREAD_ENDED)
                thread = first;
        struct thread *parent = thread->parent;
        const struct signal_info info = {
                .signal = SIGCHLD, .code = code, .sender = thread->pid, .status = signal};
        thread->status = code == CLD_STOPPED ? STATUS_STOPPED(signal) : STATUS_CONTINUED;
        thread->changed = true;
        if (!parent)
                return;
        if (!(parent->actions->of[SIGCHLD].flags & SA_NOCLDSTOP))
                signal_send(parent, &info);
        wake_all(&parent->children);
}

static bool blocks(const struct thread *thread, int signal)
{
        return thread->signals.mask & SIGNAL_BIT(signal);
}

/* Best takes it the first thread, if it does not block it; then any that does not; then any that
 * lives. */
static bool suits_better(const struct thread *one, const struct thread *other, int signal)
{
        if (one->state == THREAD_ENDED || other->state == THREAD_ENDED)
                return one->state != THREAD_ENDED;
        return blocks(other, signal) || (one->tid == one->pid && !blocks(one, signal));
}

int signal_send_program(uint32_t pid, const struct signal_info *info)
{
        struct thread *chosen = NULL;
        for (struct thread *p = threads; p; p = p->next)
                if (p->pid == pid && (!chosen || suits_better(p, chosen, info->signal)))
                        chosen = p;
        if (!chosen)
                return -ESRCH;
        signal_send(chosen, info);
        return 0;
}

void signal_take_over(void)
{
        struct thread *me = cpu_current;
        for (struct thread *p = threads; p; p = p->next) {
                struct signal_state *s = &p->signals;
                uint32_t due = (uint32_t)(s->pending & s->mask & ~me->signals.mask);
                if (p->pid != me->pid || p == me || p->state == THREAD_ENDED)
                        continue;
                interrupt_window();
                for (int signal = 1; signal < 32; signal++)
                        if (due & SIGNAL_BIT(signal) && s->info[signal].code != SI_TKILL) {
                                s->pending &= ~SIGNAL_BIT(signal);
                                mark(me, &s->info[signal]);
                        }
        }
}

int signal_send_group(uint32_t group, const struct signal_info *info)
{
        int result = -ESRCH;
        for (struct thread *p = threads; p; p = p->next) {
                interrupt_window();
                if (p->group == group && p->tid == p->pid)
                        result = signal_send_program(p->pid, info);
        }
        return result;
}

bool signal_ignores_children(const struct thread *thread)
{
        const struct signal_action *action = &thread->actions->of[SIGCHLD];
        return action->handler == SIG_IGN || action->flags & SA_NOCLDWAIT;
}

int signal_stack_set(uintptr_t start, size_t size, unsigned flags, uintptr_t sp)
{
        struct signal_state *s = &cpu_current->signals;
        unsigned mode = flags & ~SS_AUTODISARM;
        if (on_signal_stack(s, sp) && !(s->stack_flags & SS_AUTODISARM))
                return -EPERM;
        if (mode & ~(unsigned)(SS_ONSTACK | SS_DISABLE) || mode == (SS_ONSTACK | SS_DISABLE))
                return -EINVAL;
        if (mode == SS_DISABLE)
                start = size = 0;
        else if (size < MINSIGSTKSZ)
                return -ENOMEM;
        s->stack_start = start;
        s->stack_size = size;
        s->stack_flags = flags;
        return 0;
}
