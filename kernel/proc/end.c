/*
 * end.c - how processes end: told to, on their way out of the kernel, with their parents told; and
 * what else is pending on that way.
 */
#include "proc/process.h"
#include "cpu/cpu.h"
#include "cpu/trap.h"
#include "dev/console.h"
#include "file/terminal.h"
#include "mem/space.h"
#include "proc/latency.h"

void process_end(int status)
{
        cpu_current->status = status;
        work_add(WORK_EXIT);
}

/* A thread that is told to end does so when it next has the processor, before its program has. */
static void tell_to_end(struct thread *thread, int status)
{
        thread->status = status;
        interrupt_window();
        if (thread->state == THREAD_ENDED)
                return;
        *work_of(thread) |= WORK_EXIT;
        wake(thread);
}

void process_end_group(int status)
{
        for (struct thread *p = threads; p; p = p->next)
                if (p->pid == cpu_current->pid && p != cpu_current)
                        tell_to_end(p, status); /* the first thread, too, which may have ended */
        process_end(status);
}

/* All that the program which the kernel started has left running. */
static void end_leftovers(const struct thread *started)
{
        for (struct thread *p = threads; p; p = p->next)
                if (p != started && p->state != THREAD_ENDED)
                        tell_to_end(p, STATUS_SIGNAL(SIGKILL));
}

/* The parent learns of the end of a program: of its first thread, when the last has ended. */
static void announce(struct thread *thread)
{
        struct thread *leader = process_first_thread(thread->pid);
        if (!leader)
                leader = thread;
        thread->forgotten = thread != leader;
        if (!process_is_last(thread))
                return;
        struct thread *parent = leader->parent;
        if (!parent) {
                leader->forgotten = !leader->kept;
                if (leader->kept)
                        end_leftovers(leader);
                return;
        }
        const struct signal_info info = {
                .signal = SIGCHLD,
                .code = leader->status & 0x7f ? CLD_KILLED : CLD_EXITED,
                .sender = leader->pid,
                .status = leader->status & 0x7f ? leader->status & 0x7f : leader->status >> 8,
        };
        leader->forgotten = signal_ignores_children(parent);
        signal_send(parent, &info);
        for (struct thread *p = threads; p; p = p->next)
                if (p->pid == parent->pid)
                        wake_all(&p->children);
}

/* Whose the children of a process are when it has ended: another thread's of its program, or the
 * program's that the kernel started. NULL = nobody's, who are forgotten when they end. */
static struct thread *heir_of(const struct thread *thread)
{
        struct thread *heir = NULL;
        for (struct thread *p = threads; p; p = p->next) {
                if (p == thread || p->state == THREAD_ENDED)
                        continue;
                if (p->pid == thread->pid)
                        return p;
                if (p->kept)
                        heir = p;
        }
        return heir;
}

static void bequeath(struct thread *thread)
{
        struct thread *heir = heir_of(thread);
        for (struct thread *p = threads; p; p = p->next) {
                if (p->parent != thread)
                        continue;
                interrupt_window();
                p->parent = heir;
                p->adopted = true;
                if (p->state == THREAD_ENDED && p->tid == p->pid && process_is_last(p))
                        announce(p);
        }
}

/* Out of the processor, for good. */
static _Noreturn void leave(void)
{
        struct thread *thread = cpu_current;
        trap_watch(0);
        thread_clear_tid(thread);
        hand_end(thread);
        bequeath(thread);
        interrupts_off();
        space_enter(kernel_space);
        thread_let_go(thread);
        thread->state = THREAD_ENDED;
        announce(thread);
        schedule_leave();
}

void process_end_by(int signal)
{
        process_end_group(STATUS_SIGNAL(signal));
}

void process_out_of_memory(void)
{
        say("%s: killed: out of memory\n", cpu_current->path);
        process_end_by(SIGKILL);
}

_Noreturn void process_refused(void)
{
        process_kill("the processor refused to return to it");
}

_Noreturn void process_strayed(void)
{
        process_kill("it jumped into the kernel, which faulted on its stack");
}

_Noreturn void process_kill(const char *why)
{
        say("%s: killed by SIGSEGV: %s\n", cpu_current->path, why);
        process_end_by(SIGSEGV);
        leave();
}

void process_stop(void)
{
        cpu_current->state = THREAD_STOPPED;
        schedule();
}

/* Called by every way out whose cpu_work is set (arch/exit.asm), with interrupts off. */
void work_do(struct frame *frame)
{
        uint8_t work;
        while ((work = cpu_work)) {
                if (work & WORK_EXIT)
                        leave();
                if (work & WORK_SINGLE_STEP) {
                        cpu_work &= (uint8_t)~WORK_SINGLE_STEP;
                        frame->flags |= RFLAGS_TF;
                } else if (work & WORK_SIGNAL) {
                        cpu_work &= (uint8_t)~WORK_SIGNAL;
                        signal_deliver(frame);
                } else if (work & WORK_INPUT) {
                        cpu_work &= (uint8_t)~WORK_INPUT;
                        terminal_service();
                } else if (work & WORK_STOP) {
                        cpu_work &= (uint8_t)~WORK_STOP;
                        process_stop();
                } else {
                        schedule();
                        if (latency_on)
                                latency_stop();
                }
        }
}
