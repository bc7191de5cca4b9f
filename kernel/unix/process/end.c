/* end.c - how threads and processes end: they end on their way out of the kernel, and parents are
 * notified. */
#include "process/end.h"
#include "cpu/cpu.h"
#include "cpu/window.h"
#include "cpu/work.h"
#include "machine/console.h"
#include "mem/frame.h"
#include "mem/memory.h"
#include "node/node.h"
#include "process/death.h"
#include "process/futex.h"
#include "process/handoff.h"
#include "process/process.h"
#include "process/resource.h"
#include "thread/schedule.h"
#include "thread/thread.h"
#include "process/signal.h"

void process_end(int status)
{
        if (cpu_current == task()->process->leader)
                task()->process->status = status;
        work_add(WORK_EXIT);
}

/* A thread that must end does so when it next gets the processor, before its program runs. */
static void tell_to_end(struct thread *thread)
{
        interrupt_window();
        if (thread->state == THREAD_ENDED)
                return;
        *work_of(thread) |= WORK_EXIT;
        wake(thread);
}

void process_end_all(struct process *process, int status)
{
        for (struct thread *t = process->members; t; t = task_of(t)->next_member)
                if (t != cpu_current)
                        tell_to_end(t);
        if (cpu_current && process == task()->process) /* a key may arrive while no thread runs */
                work_add(WORK_EXIT);
        if (!process->ending)
                process->status = status; /* also of the first thread, which may have ended */
        process->ending = true;
}

void process_end_group(int status)
{
        process_end_all(task()->process, status);
}

/* Ends everything that the program started by the kernel has left running. */
static void end_leftovers(const struct process *started)
{
        for (struct thread *t = threads; t; t = t->next)
                if (task_of(t)->process != started && t->state != THREAD_ENDED) {
                        task_of(t)->process->status = STATUS_SIGNAL(SIGKILL);
                        tell_to_end(t);
                }
}

/* Notifies the parent when a process's last thread has ended. */
void process_announce(struct process *process)
{
        struct process *parent = process->parent;
        int signal = process->status & 0x7f;
        if (!parent) {
                if (process->kept)
                        end_leftovers(process);
                else
                        process_forget(process);
                return;
        }
        const struct signal_info info = {
                .signal = SIGCHLD,
                .code = signal ? CLD_KILLED : CLD_EXITED,
                .sender = process->pid,
                .value = (uintptr_t)(signal ? signal : process->status >> 8),
        };
        if (signal_ignores_children(parent))
                process_forget(process);
        signal_send_to(parent, &info);
        wake_all(&parent->children);
}

/* The nearest ancestor that adopts orphans, or the process that the kernel started. NULL = the
 * children have no parent, and are freed when they end. */
static struct process *heir_of(const struct process *process)
{
        struct process *p = process->parent;
        for (; p; p = p->parent)
                if (p->threads && settings_of(p)->adopts)
                        return p;
        p = processes;
        while (p && (p == process || !p->kept || !p->threads))
                p = p->next;
        return p;
}

/* Signals its threads that asked for it (PR_SET_PDEATHSIG). */
static void tell_orphan(const struct process *process)
{
        struct signal_info info = {.code = SI_USER, .sender = cpu_current->pid};
        for (struct thread *t = process->members; t; t = task_of(t)->next_member) {
                interrupt_window();
                info.signal = task_of(t)->death_signal;
                if (info.signal && t->state != THREAD_ENDED && !process->ending)
                        signal_send_to(process, &info);
        }
}

void process_reparent_children(const struct process *process)
{
        struct process *heir = process->child ? heir_of(process) : NULL;
        while (process->child) {
                struct process *p = process->child;
                interrupt_window();
                process_adopt(p, heir);
                p->reparented = true;
                tell_orphan(p);
                if (!p->threads && !p->forgotten)
                        process_announce(p);
        }
}

void process_end_by(int signal)
{
        process_end_group(STATUS_SIGNAL(signal));
}

/* The process with the most pages and page tables, if it has more than `most`, and the kernel has
 * not started it. NULL = none. */
static struct process *process_of_most(size_t most)
{
        struct process *found = NULL;
        for (struct process *p = processes; p; p = p->next) {
                const struct thread *t = p->members;
                interrupt_window();
                while (t && t->state == THREAD_ENDED)
                        t = task_of(t)->next_member;
                size_t has = t ? t->memory->resident + t->memory->tables : 0;
                if (has > most && !p->kept) {
                        most = has;
                        found = p;
                }
        }
        return found;
}

#define SPARES 256
#define LENT 4 /* for a page: its frame, and its tables */
static uintptr_t spares[SPARES];
static size_t spare_count;

void spares_fill(void)
{
        size_t most = memory_top / PAGE_SIZE / 64;
        uintptr_t frame;
        while (spare_count < (most < SPARES ? most : SPARES) && (frame = frame_take()))
                spares[spare_count++] = frame;
}

/* For the kernel's own access, which may give no turns. False = none is left. */
static bool spares_lend(void)
{
        size_t lent = 0;
        while (lent < LENT && spare_count)
                frame_free(spares[--spare_count]), lent++;
        work_add(WORK_RESCHEDULE);
        return lent;
}

/* Another process that has a quarter of the memory ends, and the caller tries again; else the
 * caller, or for the one that the kernel has started the one that has most. */
bool process_out_of_memory(bool user)
{
        struct process *most = process_of_most(memory_top / PAGE_SIZE / 4);
        if (!most && task()->process->kept)
                most = process_of_most(0);
        if (most && most != task()->process) {
                if (!most->ending) {
                        if (death_said(most))
                                say(": out of memory\n");
                        process_end_all(most, STATUS_SIGNAL(SIGKILL));
                }
                if (!user)
                        return spares_lend();
                schedule();
                return true;
        }
        if (death_said(task()->process))
                say(": out of memory\n");
        process_end_by(SIGKILL);
        return user;
}

void process_kill(const char *why)
{
        if (death_said(task()->process))
                say(" by SIGSEGV: %s\n", why);
        process_end_by(SIGSEGV);
        process_leave();
}

void process_stop(void)
{
        interrupt_window(); /* many may stop, one after the other */
        node_release_late();
        if (cpu_work & WORK_EXIT || !(cpu_work & WORK_STOP))
                return; /* others ran, and one of them sent SIGKILL or SIGCONT */
        cpu_work &= (uint8_t)~WORK_STOP;
        cpu_current->state = THREAD_STOPPED;
        schedule();
}
