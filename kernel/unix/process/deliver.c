/* deliver.c - pending signals, on the way out to the program. */
#include "cpu/cpu.h"
#include "cpu/window.h"
#include "cpu/work.h"
#include "machine/console.h"
#include "frames.h"
#include "thread/user.h"
#include "process/alarm.h"
#include "process/death.h"
#include "process/end.h"
#include "process/process.h"
#include "thread/thread.h"
#include "process/signal.h"
#include "site.h"

#define BIT(signal) (1u << ((signal)-1))
/* Signals caused by an instruction come first, so that the frame's ip points to it. */
#define URGENT                                                                                     \
        (BIT(SIGILL) | BIT(SIGTRAP) | BIT(SIGBUS) | BIT(SIGFPE) | BIT(SIGSEGV) | BIT(SIGKILL))

static inline int first_of(uint64_t set)
{
        uint32_t low = (uint32_t)set;
        if (low & URGENT)
                low &= URGENT;
        return low ? __builtin_ctz(low) + 1 : __builtin_ctz((uint32_t)(set >> 32)) + 33;
}

int signal_first(uint64_t set)
{
        return first_of(set);
}

/* SIGNAL_BIT of a variable, without a two-word shift */
static inline uint64_t bit_of(int signal)
{
        return signal <= 32 ? BIT(signal) : (uint64_t)BIT(signal - 32) << 32;
}

/* INT 80h, SYSCALL and SYSENTER are two bytes, and the program has just executed them. So its limit
 * does not matter, and the gate page is allowed. */
static bool call_can_be_repeated(uintptr_t ip)
{
        uint8_t code[2];
        if (user_read_code(code, ip - 2, sizeof code))
                return false;
        return (code[0] == 0xcd && code[1] == 0x80) || (code[0] == 0x0f && code[1] == 0x05) ||
               (code[0] == 0x0f && code[1] == 0x34);
}

/* Restarts or fails the call that a signal interrupted. */
__attribute__((noinline)) static void settle_call(struct frame *frame, bool handler, unsigned flags)
{
        intptr_t result = (intptr_t)frame->ax;
        if (result != -ERESTARTSYS && result != -ERESTARTNOHAND)
                return;
        bool again = !handler || (result == -ERESTARTSYS && flags & SA_RESTART);
        if (again && call_can_be_repeated(frame->ip)) {
                frame->ip -= 2;
                frame->ax = frame->number;
        } else if (!again || !site_repeat_direct(frame)) {
                frame->ax = (uintptr_t)-EINTR;
                task()->resumes = false;
        }
        frame->number = (uintptr_t)NO_CALL;
}

/* No room for a handler's frame is a SIGSEGV; for SIGSEGV's own handler it is fatal. */
__attribute__((cold)) static void no_room(const struct frame *frame, int signal)
{
        if (signal != SIGSEGV && signal_forced(SIGSEGV))
                return;
        if (death_said(task()->process))
                say(" by SIGSEGV: no stack for the handler of signal %d, sp %p, ip %p\n", signal,
                    (void *)frame->sp, (void *)frame->ip);
        process_end_by(SIGSEGV);
}

/* If a handler's address cannot be code, the frame is pushed first, then the jump fails. */
static __attribute__((cold, noinline)) bool push_nowhere(struct frame *frame,
                                                         struct signal_state *s, int signal,
                                                         const struct signal_info *info)
{
        const struct signal_action *action = &task()->actions->of[signal];
        struct signal_action somewhere = *action;
        somewhere.handler = 0;
        if (address_is_canonical(action->handler) ||
            !sigframe_push(frame, &somewhere, info, s->suspended ? s->saved_mask : s->mask))
                return false;
        frame->ip = action->handler;
        s->mask |= action->mask | (action->flags & SA_NODEFER ? 0 : bit_of(signal));
        sigframe_refused(frame);
        return true;
}

/* Returns whether the process ends. */
static inline __attribute__((always_inline)) bool handle(struct frame *frame, struct thread *thread,
                                                         int signal, uint64_t bit,
                                                         struct signal_action *action)
{
        struct signal_state *s = &task_of(thread)->signals;
        const struct signal_info *info = &s->info[signal < SIGNAL_QUEUED ? signal : 0];
        if ((intptr_t)frame->number != NO_CALL)
                settle_call(frame, true, action->flags);
        if (!sigframe_push(frame, action, info, s->suspended ? s->saved_mask : s->mask) &&
            !push_nowhere(frame, s, signal, info)) {
                no_room(frame, signal);
                return cpu_work & WORK_EXIT;
        }
        frame->number = (uintptr_t)NO_CALL;
        s->suspended = false;
        s->mask |= action->mask | (action->flags & SA_NODEFER ? 0 : bit);
        if (action->flags & SA_RESETHAND)
                action->handler = SIG_DFL;
        if (s->stack_flags & SS_AUTODISARM) {
                s->stack_start = s->stack_size = 0;
                s->stack_flags = SS_DISABLE;
        }
        return false;
}

/* Stops all threads: a sleeping one when it wakes. */
__attribute__((cold)) static void stop(int signal)
{
        for (struct thread *t = task()->process->members; t; t = task_of(t)->next_member)
                *work_of(t) |= WORK_STOP;
        signal_changed(task()->process, CLD_STOPPED, signal);
        process_stop();
}

static __attribute__((cold, noinline)) void take_queued(struct thread *thread, int signal)
{
        signal_take(&task_of(thread)->signals, signal, &task_of(thread)->signals.info[0]);
}

/* Returns whether the process ends. */
static bool deliver_signal(struct frame *frame, struct thread *thread, int signal)
{
        struct signal_action *action = &task_of(thread)->actions->of[signal];
        uint64_t bit = bit_of(signal);
        if (signal < SIGNAL_QUEUED)
                task_of(thread)->signals.pending &= ~bit;
        else
                take_queued(thread, signal);
        if (action->handler > SIG_IGN)
                return handle(frame, thread, signal, bit, action);
        if (signal_ignored(thread, signal) || signal_spares(thread, signal))
                return false;
        if (signal_stops(signal))
                stop(signal);
        else
                process_end_by(signal);
        return cpu_work & WORK_EXIT;
}

/* Restarts a timer that sent SIGALRM, unless the signal is blocked. */
static __attribute__((cold, noinline)) bool is_suspended(struct signal_state *s)
{
        if (s->alarm && !(s->pending & SIGNAL_BIT(SIGALRM))) {
                s->alarm = false;
                alarm_taken(task()->process);
        }
        return s->suspended;
}

void signal_deliver(struct frame *frame)
{
        struct thread *thread = cpu_current;
        struct signal_state *s = &task_of(thread)->signals;
        uint64_t due;
        do {
                for (due = s->pending & ~s->mask; due;) {
                        if (deliver_signal(frame, thread, first_of(due)))
                                return;
                        if ((due = s->pending & ~s->mask)) { /* there may be many */
                                if (!work_goes_on())
                                        return;
                                due = s->pending & ~s->mask;
                        }
                }
                if ((intptr_t)frame->number != NO_CALL)
                        settle_call(frame, false, 0);
                if (!s->after || !is_suspended(s))
                        return;
                s->mask = s->saved_mask; /* no handler has run */
                s->suspended = false;
        } while (s->pending & ~s->mask);
}
