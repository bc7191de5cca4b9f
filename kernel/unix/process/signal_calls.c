/* signal_calls.c - the system calls for signals, for programs of both widths. */
#include "cpu/cpu.h"
#include "cpu/work.h"
#include "cpu/window.h"
#include "machine/console.h"
#include "frames.h"
#include "thread/user.h"
#include "calls.h"
#include "process/alarm.h"
#include "process/death.h"
#include "process/end.h"
#include "process/process.h"
#include "process/signal.h"

#define MASK_SIZE 8

#define SA_KNOWN                                                                                   \
        (SA_NOCLDSTOP | SA_NOCLDWAIT | SA_SIGINFO | SA_EXPOSE_TAGBITS | SA_RESTORER | SA_ONSTACK | \
         SA_RESTART | SA_NODEFER | SA_RESETHAND)

/* struct sigaction of the raw system calls */
struct action64 {
        uint64_t handler, flags, restorer, mask;
};
struct action32 {
        uint32_t handler, flags, restorer, mask[2];
};
struct old_action32 {
        uint32_t handler, mask, flags, restorer;
};

struct stack64 {
        uint64_t start;
        uint32_t flags, reserved;
        uint64_t size;
};
struct stack32 {
        uint32_t start, flags, size;
};

static struct frame *current_frame(void)
{
        return (struct frame *)cpu_stack - 1;
}

/* Drops a pending signal that is now ignored. */
static void set_action(int signal, const struct signal_action *action)
{
        struct signal_action *to = &task()->actions->of[signal];
        *to = *action;
        to->mask &= ~SIGNALS_UNBLOCKABLE;
        to->flags &= SA_KNOWN;
        for (struct thread *p = threads; p; p = p->next)
                if (task_of(p)->actions == task()->actions) {
                        if (signal_ignored(p, signal))
                                signal_forget(&task_of(p)->signals, SIGNAL_BIT(signal));
                        if (signal == SIGALRM)
                                alarm_taken(task_of(p)->process);
                }
}

static bool settable(int signal)
{
        return signal >= 1 && signal <= SIGNALS && !(SIGNALS_UNBLOCKABLE & SIGNAL_BIT(signal));
}

static int read_action(uintptr_t from, struct signal_action *to)
{
        struct action64 wide;
        struct action32 small;
        if (call_narrow()) {
                if (user_get(&small, from))
                        return -EFAULT;
                *to = (struct signal_action){small.handler,
                                             (uint64_t)small.mask[1] << 32 | small.mask[0],
                                             small.flags, small.restorer};
                return 0;
        }
        if (user_get(&wide, from))
                return -EFAULT;
        *to = (struct signal_action){(uintptr_t)wide.handler, wide.mask, (unsigned)wide.flags,
                                     (uintptr_t)wide.restorer};
        return 0;
}

static int write_action(uintptr_t to, const struct signal_action *a)
{
        struct action64 wide = {a->handler, a->flags, a->restorer, a->mask};
        struct action32 small = {(uint32_t)a->handler,
                                 a->flags,
                                 (uint32_t)a->restorer,
                                 {(uint32_t)a->mask, (uint32_t)(a->mask >> 32)}};
        return call_narrow() ? user_put(to, &small) : user_put(to, &wide);
}

long sys_rt_sigaction(long number, long from, long to, long size, AFTER_4)
{
        int signal = (int)number;
        struct signal_action new;
        if (size != MASK_SIZE)
                return -EINVAL;
        if (from && read_action((uintptr_t)from, &new))
                return -EFAULT;
        if (signal < 1 || signal > SIGNALS || (from && !settable(signal)))
                return -EINVAL;
        struct signal_action old = task()->actions->of[signal];
        if (from)
                set_action(signal, &new);
        return to ? write_action((uintptr_t)to, &old) : 0;
}

/* sigaction from before real-time signals: a mask of 32 */
long sys_sigaction(long number, long from, long to, AFTER_3)
{
        int signal = (int)number;
        struct old_action32 in;
        if (from && user_get(&in, (uintptr_t)from))
                return -EFAULT;
        if (signal < 1 || signal > SIGNALS || (from && !settable(signal)))
                return -EINVAL;
        const struct signal_action *a = &task()->actions->of[signal];
        struct old_action32 out = {(uint32_t)a->handler, (uint32_t)a->mask, a->flags,
                                   (uint32_t)a->restorer};
        if (from)
                set_action(signal,
                           &(struct signal_action){in.handler, in.mask, in.flags, in.restorer});
        return to ? user_put((uintptr_t)to, &out) : 0;
}

long sys_signal(long number, long handler, AFTER_2)
{
        int signal = (int)number;
        if (!settable(signal))
                return -EINVAL;
        long old = (long)task()->actions->of[signal].handler;
        set_action(signal,
                   &(struct signal_action){(uintptr_t)handler, 0, SA_RESETHAND | SA_NODEFER, 0});
        return old;
}

/* `kept`: the signals that are not in `set`. */
static int change_mask(int how, uint64_t set, uint64_t kept)
{
        uint64_t mask = task()->signals.mask;
        switch (how) {
        case SIG_BLOCK: mask |= set; break;
        case SIG_UNBLOCK: mask &= ~set; break;
        case SIG_SETMASK: mask = (mask & kept) | set; break;
        default: return -EINVAL;
        }
        uint64_t opens = task()->signals.mask & ~mask;
        signal_set_mask(mask);
        if (opens)
                signal_take_over(opens);
        return 0;
}

long sys_rt_sigprocmask(long how, long from, long to, long size, AFTER_4)
{
        uint64_t old = task()->signals.mask, set;
        if (size != MASK_SIZE)
                return -EINVAL;
        if (from) {
                if (user_get(&set, (uintptr_t)from))
                        return -EFAULT;
                int error = change_mask((int)how, set, 0);
                if (error)
                        return error;
        }
        return to ? user_put((uintptr_t)to, &old) : 0;
}

long sys_sigprocmask(long how, long from, long to, AFTER_3)
{
        uint32_t old = (uint32_t)task()->signals.mask, set;
        if (from) {
                if (user_get(&set, (uintptr_t)from))
                        return -EFAULT;
                int error = change_mask((int)how, set, ~(uint64_t)UINT32_MAX);
                if (error)
                        return error;
        }
        return to ? user_put((uintptr_t)to, &old) : 0;
}

static long give_pending(uintptr_t to, size_t size)
{
        uint64_t pending = task()->signals.pending & task()->signals.mask;
        return user_write(to, &pending, size);
}

long sys_rt_sigpending(long to, long size, AFTER_2)
{
        return (unsigned long)size > MASK_SIZE ? -EINVAL
                                               : give_pending((uintptr_t)to, (size_t)size);
}

long sys_sigpending(long to, AFTER_1)
{
        return give_pending((uintptr_t)to, sizeof(uint32_t));
}

static long sleep_until_signal(void)
{
        struct waiters nobody = {0};
        while (wait_on(&nobody))
                ;
        return call_interrupted(ERESTARTNOHAND);
}

void signal_suspend(uint64_t mask)
{
        struct signal_state *s = &task()->signals;
        s->saved_mask = s->mask;
        s->suspended = true;
        signal_set_mask(mask);
        signal_take_over(~mask);
        work_add(WORK_SIGNAL); /* for restoring the mask */
}

static long suspend(uint64_t mask)
{
        signal_suspend(mask);
        return sleep_until_signal();
}

long sys_rt_sigsuspend(long from, long size, AFTER_2)
{
        uint64_t mask;
        if (size != MASK_SIZE)
                return -EINVAL;
        return user_get(&mask, (uintptr_t)from) ? -EFAULT : suspend(mask);
}

long sys_sigsuspend(long a, long b, long mask, AFTER_3)
{
        return suspend((uint32_t)mask);
}

long sys_pause(AFTER_0)
{
        return sleep_until_signal();
}

long sys_sigaltstack(long from, long to, AFTER_2)
{
        const struct signal_state *s = &task()->signals;
        uintptr_t sp = current_frame()->sp;
        unsigned mode = !s->stack_size                                                ? SS_DISABLE
                        : on_signal_stack(s, sp) && !(s->stack_flags & SS_AUTODISARM) ? SS_ONSTACK
                                                                                      : 0;
        struct stack64 wide = {s->stack_start, mode | (s->stack_flags & SS_AUTODISARM), 0,
                               s->stack_size};
        struct stack32 small = {(uint32_t)wide.start, wide.flags, (uint32_t)wide.size};
        if (from) {
                struct stack64 in;
                struct stack32 in32;
                if (call_narrow() ? user_get(&in32, (uintptr_t)from)
                                  : user_get(&in, (uintptr_t)from))
                        return -EFAULT;
                if (call_narrow())
                        in = (struct stack64){in32.start, in32.flags, 0, in32.size};
                int error = signal_stack_set((uintptr_t)in.start, (size_t)in.size, in.flags, sp);
                if (error)
                        return error;
        }
        if (!to)
                return 0;
        return call_narrow() ? user_put((uintptr_t)to, &small) : user_put((uintptr_t)to, &wide);
}

void sigframe_refused(const struct frame *frame)
{
        uint32_t cs = (uint32_t)frame->cs, ss = (uint32_t)frame->ss;
        struct signal_info *info = signal_forced(SIGSEGV);
        if (info) {
                uint32_t wrong = cpu_current->trusted                  ? 0
                                 : !selector_runs(access_rights(cs))   ? cs
                                 : !selector_stacks(access_rights(ss)) ? ss
                                                                       : 0;
                info->trap = VECTOR_GP;
                info->error = wrong & 0xfffc; /* without its RPL */
                return;
        }
        if (death_said(task()->process))
                say(" by SIGSEGV: no program can go on at ip %p, cs %x, ss %x\n", (void *)frame->ip,
                    cs, ss);
        process_end_by(SIGSEGV);
}

/* An unreadable frame is a SIGSEGV. */
static void refuse_frame(const struct frame *frame)
{
        if (signal_forced(SIGSEGV))
                return;
        if (death_said(task()->process))
                say(" by SIGSEGV: a bad frame for sigreturn, sp %p\n", (void *)frame->sp);
        process_end_by(SIGSEGV);
}

long sys_rt_sigreturn(AFTER_0)
{
        struct frame *frame = current_frame();
        frame->number = (uintptr_t)NO_CALL;
        if (!sigframe_pop(frame) && !sigframe_pop_unusual(frame))
                refuse_frame(frame);
        frame_leave();
}

long sys_sigreturn(AFTER_0)
{
        struct frame *frame = current_frame();
        frame->number = (uintptr_t)NO_CALL;
        if (!sigframe32_pop(frame, false))
                refuse_frame(frame);
        frame_leave();
}

static struct signal_info from_here(long signal, int code)
{
        return (struct signal_info){
                .signal = (int)signal, .code = code, .sender = cpu_current->pid};
}

/* A thread of a process (pid 0: of any) with this tid (0: any thread). */
static struct thread *signal_calls_find(uint32_t pid, uint32_t tid)
{
        for (struct thread *t = threads; t; t = t->next)
                if ((pid ? t->pid == pid : true) && (tid ? t->tid == tid : true))
                        return t;
        return NULL;
}

static long kill_all(const struct signal_info *info)
{
        long result = -ESRCH;
        for (struct process *p = processes; p; p = p->next) {
                if (p->pid <= 1 || p == task()->process)
                        continue;
                interrupt_window();
                if (info->signal)
                        signal_send_to(p, info);
                result = 0;
        }
        return result;
}

static bool group_exists(uint32_t group)
{
        for (const struct process *p = processes; p; p = p->next)
                if (p->group == group)
                        return true;
        return false;
}

long sys_kill(long target, long signal, AFTER_2)
{
        int pid = (int)target;
        const struct signal_info info = from_here((int)signal, SI_USER);
        if ((unsigned)info.signal > SIGNALS)
                return -EINVAL;
        if (pid == -1)
                return kill_all(&info);
        uint32_t group = pid ? 0u - (uint32_t)pid : task()->process->group;
        if (!info.signal)
                return (pid > 0 ? signal_calls_find((uint32_t)pid, 0) != NULL : group_exists(group))
                               ? 0
                               : -ESRCH;
        return pid > 0 ? signal_send_process((uint32_t)pid, &info)
                       : signal_send_group(group, &info);
}

long signal_send_checked(uint32_t pid, uint32_t tid, const struct signal_info *info)
{
        struct thread *thread = signal_calls_find(pid, tid);
        if (!thread)
                return -ESRCH;
        if ((unsigned)info->signal > SIGNALS)
                return -EINVAL;
        if (!info->signal)
                return 0;
        return tid ? signal_send(thread, info) : signal_send_process(pid, info);
}

static long send_to_thread(uint32_t pid, int tid, long signal)
{
        const struct signal_info info = from_here((int)signal, SI_TKILL);
        if (tid <= 0 || (unsigned)info.signal > SIGNALS)
                return -EINVAL;
        return signal_send_checked(pid, (uint32_t)tid, &info);
}

long sys_tkill(long tid, long signal, AFTER_2)
{
        return send_to_thread(0, (int)tid, signal);
}

long sys_tgkill(long pid, long tid, long signal, AFTER_3)
{
        return (int)pid <= 0 ? -EINVAL : send_to_thread((uint32_t)pid, (int)tid, signal);
}
