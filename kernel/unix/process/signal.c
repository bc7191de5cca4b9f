/* signal.c - a process's signal actions, sending, and pending signals. */
#include "process/signal.h"
#include "cpu/window.h"
#include "cpu/work.h"
#include "errno.h"
#include "mem/heap.h"
#include "process/end.h"
#include "process/process.h"
#include "process/sigframe.h"
#include "thread/thread.h"

/* The default actions; all others end the process (signal(7)). */
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
        struct signal_actions *actions = heap_take(sizeof *actions);
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

/* An ignored signal stays ignored. */
void signal_actions_reset(struct signal_actions *actions)
{
        for (int signal = 1; signal <= SIGNALS; signal++) {
                struct signal_action *a = &actions->of[signal];
                *a = (struct signal_action){.handler = a->handler == SIG_IGN ? SIG_IGN : SIG_DFL};
        }
}

bool signal_ignored(const struct thread *thread, int signal)
{
        uintptr_t handler = task_of(thread)->actions->of[signal].handler;
        return handler == SIG_IGN || (handler == SIG_DFL && IGNORED & SIGNAL_BIT(signal));
}

bool signal_stops(int signal)
{
        return STOPS & SIGNAL_BIT(signal);
}

bool signal_wanted(const struct thread *thread)
{
        uint64_t open = task_of(thread)->signals.pending & ~task_of(thread)->signals.mask;
        for (int signal = 1; open; signal++, open >>= 1)
                if (open & 1 && !signal_ignored(thread, signal))
                        return true;
        return false;
}

static inline __attribute__((always_inline)) bool
mark(struct thread *thread, const struct signal_info *info, unsigned flags)
{
        bool noted = signal_note(&task_of(thread)->signals, info, flags);
        if (thread == cpu_current)
                work_add(WORK_SIGNAL);
        else
                thread->work |= WORK_SIGNAL;
        return noted;
}

/* True = it was stopped. */
static bool go_on(const struct process *process)
{
        bool stopped = false;
        for (struct thread *t = process->members; t; t = task_of(t)->next_member) {
                if (t->state == THREAD_STOPPED || *work_of(t) & WORK_STOP)
                        stopped = true;
                *work_of(t) &= (uint8_t)~WORK_STOP;
                if (t->state == THREAD_STOPPED)
                        wake(t);
        }
        return stopped;
}

/* Any program may signal any other. But the one that the kernel started, like Linux's init, gets
 * others' signals only if it has a handler. Blocked ones are kept, because a handler or a wait may
 * follow, but do not end it (signal_spares). Signals not sent by programs (a key, a fault, a
 * child's end) have a code above SI_USER. */
__attribute__((noinline)) static bool may_signal(const struct thread *to,
                                                 const struct signal_info *info)
{
        const struct signal_state *s = &task_of(to)->signals;
        return info->code > SI_USER || to->pid == cpu_current->pid ||
               task_of(to)->actions->of[info->signal].handler != SIG_DFL ||
               !task_of(to)->process->kept || s->mask & SIGNAL_BIT(info->signal) || s->waits;
}

bool signal_spares(const struct thread *thread, int signal)
{
        return task_of(thread)->process->kept &&
               task_of(thread)->signals.info[signal < SIGNAL_QUEUED ? signal : 0].flags &
                       SIGNAL_FOREIGN;
}

/* rt_sigtimedwait in a thread is woken by the signals it waits for. */
static inline bool blocks(const struct thread *thread, int signal)
{
        const struct signal_state *s = &task_of(thread)->signals;
        return s->mask >> (signal - 1) & 1 && !(s->waits && s->waited >> (signal - 1) & 1);
}

static bool is_foreign(const struct thread *to, const struct signal_info *info)
{
        return to != cpu_current && info->code <= SI_USER &&
               (!cpu_current || task_of(to)->process != task()->process);
}

/* Whether a signal's default action happens at once, because no thread blocks it or waits for it.
 * Then nothing is delivered: it is ignored, or ends all threads of the process before they return
 * to the program. False = it stops the process, or (signal_spares) does nothing. */
static __attribute__((noinline)) bool is_settled(const struct thread *thread,
                                                 const struct signal_info *info)
{
        if (signal_ignored(thread, info->signal))
                return true;
        if (signal_stops(info->signal) ||
            (task_of(thread)->process->kept && is_foreign(thread, info)))
                return false;
        process_end_all(task_of(thread)->process, STATUS_SIGNAL(info->signal));
        return true;
}

static int signal_send_as(struct thread *thread, const struct signal_info *info, unsigned flags)
{
        struct signal_state *s = &task_of(thread)->signals;
        int signal = info->signal;
        bool blocked = blocks(thread, signal);
        if (thread->state == THREAD_ENDED || (thread != cpu_current && !may_signal(thread, info)))
                return 0;
        /* SIGCONT and stop signals cancel each other */
        uint64_t other = signal == SIGCONT ? STOPS : signal_stops(signal) ? SIGNAL_BIT(SIGCONT) : 0;
        struct thread *t = other ? task_of(thread)->process->members : NULL;
        for (; t; t = task_of(t)->next_member)
                task_of(t)->signals.pending &= ~other;
        if ((signal == SIGCONT || signal == SIGKILL) && go_on(task_of(thread)->process) &&
            signal == SIGCONT)
                signal_changed(task_of(thread)->process, CLD_CONTINUED, SIGCONT);
        if (task_of(thread)->actions->of[signal].handler <= SIG_IGN && !blocked && !s->waits &&
            is_settled(thread, info))
                return 0;
        if (signal < SIGNAL_QUEUED && (uint32_t)s->pending & 1u << (signal - 1))
                return 0;
        if (is_foreign(thread, info))
                flags |= SIGNAL_FOREIGN;
        bool noted = mark(thread, info, flags);
        if (!blocked && thread->state == THREAD_SLEEPING)
                wake(thread);
        if (noted)
                return 0;
        return info->code == SI_USER || info->code == SI_TKILL ? 0 : -EAGAIN;
}

bool signal_kills(const struct thread *thread)
{
        const struct signal_state *s = &task_of(thread)->signals;
        uint64_t open = s->pending & ~s->mask;
        for (int signal = 1; open; signal++, open >>= 1)
                if (open & 1 && task_of(thread)->actions->of[signal].handler == SIG_DFL &&
                    !(IGNORED & SIGNAL_BIT(signal)) && !signal_stops(signal))
                        return true;
        return false;
}

int signal_send(struct thread *thread, const struct signal_info *info)
{
        return signal_send_as(thread, info, 0);
}

static inline bool is_leaving(struct thread *thread)
{
        return thread->state == THREAD_ENDED || *work_of(thread) & WORK_EXIT;
}

/* A thread in vfork() takes none until it is over. */
static bool takes(const struct thread *thread, int signal)
{
        return !task_of(thread)->borrower && !blocks(thread, signal);
}

/* Prefers the first thread, if it takes the signal; then any that does; then any that does not
 * end. */
static bool suits_better(struct thread *one, struct thread *other, int signal)
{
        if (is_leaving(one) || is_leaving(other))
                return !is_leaving(one);
        return !takes(other, signal) || (one->tid == one->pid && takes(one, signal));
}

static inline __attribute__((always_inline)) struct thread *taker_of(const struct process *process,
                                                                     int signal)
{
        struct thread *taker = process->members;
        for (struct thread *t = task_of(taker)->next_member; t; t = task_of(t)->next_member)
                if (suits_better(t, taker, signal))
                        taker = t;
        return taker;
}

int signal_send_to(const struct process *process, const struct signal_info *info)
{
        return signal_send_as(taker_of(process, info->signal), info, SIGNAL_SHARED);
}

int signal_send_process(uint32_t pid, const struct signal_info *info)
{
        const struct process *process = cpu_current ? task()->process : NULL;
        if ((!process || process->pid != pid) && !(process = process_find(pid)))
                return -ESRCH;
        return signal_send_as(taker_of(process, info->signal), info, SIGNAL_SHARED);
}

/* A living process's action for SIGCHLD; its threads share it. */
static const struct signal_action *child_action(const struct process *process)
{
        const struct thread *t = process->members;
        while (t->state == THREAD_ENDED)
                t = task_of(t)->next_member;
        return &task_of(t)->actions->of[SIGCHLD];
}

void signal_changed(struct process *process, int code, int signal)
{
        struct process *parent = process->parent;
        const struct signal_info info = {.signal = SIGCHLD,
                                         .code = code,
                                         .sender = process->pid,
                                         .value = (uintptr_t)signal};
        process->changed = code == CLD_STOPPED ? STATUS_STOPPED(signal) : STATUS_CONTINUED;
        if (!parent)
                return;
        if (!(child_action(parent)->flags & SA_NOCLDSTOP))
                signal_send_to(parent, &info);
        wake_all(&parent->children);
}

/* Moves those of these signals that are pending and were sent to the process. */
static void hand_over(struct thread *from, struct thread *to, uint64_t signals)
{
        struct signal_state *s = &task_of(from)->signals;
        uint64_t due = s->pending & signals, queued = due & ~(SIGNAL_BIT(SIGNAL_QUEUED) - 1);
        struct signal_info info;
        interrupt_window();
        if (queued) { /* there may be many: in one walk */
                signal_move(s, &task_of(to)->signals, queued);
                *work_of(to) |= WORK_SIGNAL;
        }
        for (int signal = 1; signal < SIGNAL_QUEUED; signal++)
                if (due & SIGNAL_BIT(signal) && s->info[signal].flags & SIGNAL_SHARED) {
                        signal_take(s, signal, &info);
                        mark(to, &info, info.flags);
                        task_of(to)->signals.alarm |= s->alarm;
                }
}

void signal_take_over(uint64_t signals)
{
        struct thread *me = cpu_current;
        for (struct thread *t = task_of(me)->process->members; t; t = task_of(t)->next_member)
                if (t != me && t->state != THREAD_ENDED)
                        hand_over(t, me, task_of(t)->signals.mask & signals);
}

void signal_take_from(struct thread *thread)
{
        hand_over(thread, cpu_current, ~0ull);
}

static void leave_to(struct thread *heir, struct thread *thread, uint64_t signals)
{
        const struct signal_state *s = &task_of(heir)->signals;
        if (heir->state == THREAD_ENDED)
                return;
        hand_over(thread, heir, signals);
        if (signals & (~s->mask | (s->waits ? s->waited : 0)) && heir->state == THREAD_SLEEPING)
                wake(heir);
}

/* Meanwhile a search for a receiver skips this thread. */
void signal_leave_to_others(struct thread *thread)
{
        enum thread_state state = thread->state;
        uint64_t due = task_of(thread)->signals.pending, his = 0;
        struct thread *heir = thread, *next;
        thread->state = THREAD_ENDED;
        for (int signal = 1; due; signal++, due >>= 1) {
                interrupt_window();
                if (!(due & 1))
                        continue;
                if ((next = taker_of(task_of(thread)->process, signal)) != heir) {
                        leave_to(heir, thread, his);
                        his = 0;
                }
                heir = next;
                his |= SIGNAL_BIT(signal);
        }
        leave_to(heir, thread, his);
        thread->state = state;
}

int signal_send_group(uint32_t group, const struct signal_info *info)
{
        int result = -ESRCH;
        for (struct process *p = processes; p; p = p->next) {
                interrupt_window();
                if (p->group == group)
                        result = signal_send_to(p, info);
        }
        return result;
}

bool signal_ignores_children(const struct process *process)
{
        const struct signal_action *action = child_action(process);
        return action->handler == SIG_IGN || action->flags & SA_NOCLDWAIT;
}

int signal_stack_set(uintptr_t start, size_t size, unsigned flags, uintptr_t sp)
{
        struct signal_state *s = &task()->signals;
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
