/* process.c - the list of processes: created, found, reaped. */
#include "process/process.h"
#include "process/resource.h"
#include "cpu/window.h"
#include "clock/clock.h"
#include "machine/timer.h"
#include "node/node.h"
#include "mem/heap.h"
#include "thread/thread.h"

struct process *processes;
static bool some_forgotten; /* or a thread has ended, but not the first */

void process_forget(struct process *process)
{
        process->forgotten = some_forgotten = true;
}

void thread_forget(void)
{
        some_forgotten = true;
}

struct process *process_find(uint32_t pid)
{
        struct process *p = processes;
        while (p && p->pid != pid) {
                interrupt_window();
                p = p->next;
        }
        return p;
}

static void leave_parent(struct process *process)
{
        if (!process->parent)
                return;
        *process->sibling_back = process->sibling;
        if (process->sibling)
                process->sibling->sibling_back = process->sibling_back;
}

static void join_parent(struct process *process, struct process *parent)
{
        process->parent = parent;
        if (!parent)
                return;
        process->sibling = parent->child;
        process->sibling_back = &parent->child;
        if (parent->child)
                parent->child->sibling_back = &process->sibling;
        parent->child = process;
}

void process_adopt(struct process *process, struct process *parent)
{
        leave_parent(process);
        join_parent(process, parent);
}

struct process *process_create(struct thread *leader)
{
        struct process *process = heap_allocate(sizeof *process);
        if (!process)
                return NULL;
        uint64_t now = clock_now();
        *process = (struct process){
                .started = (uint64_t)moment_seconds(now) * TIMER_HZ + moment_parts(now, TIMER_HZ),
                .pid = leader->tid,
                .group = leader->tid,
                .session = leader->tid,
                .leader = leader,
                .next = processes,
                .back = &processes,
        };
        if (!resource_begin(process, cpu_current ? task()->process : NULL)) {
                heap_free(process);
                return NULL;
        }
        if (processes)
                processes->back = &process->next;
        processes = process;
        join_parent(process, cpu_current ? task()->process : NULL);
        return process;
}

void process_reap(struct process *process)
{
        *process->back = process->next;
        if (process->next)
                process->next->back = process->back;
        leave_parent(process);
        for (; task_of(process->members)->next_member; interrupt_window())
                thread_destroy(process->members);
        thread_destroy(process->members); /* usually the only one */
        node_release(process->program);
        heap_free((void *)process->path);
        heap_free(process->settings);
        heap_free(process);
}

void process_window(void)
{
        if (cpu_current) {
                interrupt_window();
                return;
        }
        if (window_meter)
                window_meter->sleep();
        interrupts_on();
        __asm__ volatile("nop");
        interrupts_off();
        if (window_meter)
                window_meter->wake();
}

void process_reap_forgotten(void)
{
        if (!some_forgotten)
                return;
        some_forgotten = false;
        for (struct thread *t = threads, *next; t; t = next) {
                next = t->next;
                process_window();
                const struct process *process = task_of(t)->process;
                if (t->state == THREAD_ENDED && process && t != process->leader && t != cpu_current)
                        thread_destroy(t);
        }
        for (struct process *p = processes, *next; p; p = next) {
                next = p->next;
                process_window();
                if (p->forgotten && (!cpu_current || p != task()->process))
                        process_reap(p);
                else
                        some_forgotten |= p->forgotten;
        }
}

uint32_t process_session_of(uint32_t group)
{
        uint32_t session = 0;
        for (const struct process *p = processes; p; p = p->next) {
                if (p->group == group)
                        return p->session;
                if (p->pid == group)
                        session = p->session;
        }
        return session;
}

bool process_in_session(uint32_t group, uint32_t session)
{
        for (const struct process *p = processes; p; p = p->next)
                if (p->group == group && p->session == session)
                        return true;
        return false;
}

bool thread_join(struct thread *thread, struct process *process)
{
        struct task *task = task_of(thread);
        task->process = process ? process : process_create(thread);
        if (!task->process)
                return false;
        task->process->threads++;
        task->next_member = task->process->members;
        task->process->members = thread;
        thread->pid = task->process->pid;
        return true;
}

/* (A thread that never joined has no process.) */
void process_without(struct thread *thread)
{
        struct process *process = task_of(thread)->process;
        struct thread **link = process ? &process->members : NULL;
        while (link && *link != thread) {
                interrupt_window();
                link = &task_of(*link)->next_member;
        }
        if (link)
                *link = task_of(thread)->next_member;
}

/* An ended orphan is reaped by the process that adopted it. The kernel's first program has not
 * asked for that, and may never do so: when there is no room left, the kernel does. */
void process_make_room(void)
{
        for (struct process *p = processes; thread_count() == THREADS && p; p = p->next) {
                interrupt_window();
                if (p->reparented && !p->threads && p->parent && p->parent->kept)
                        process_forget(p);
        }
        process_reap_forgotten();
}

bool process_number_taken(uint32_t number)
{
        for (const struct process *p = processes; p; p = p->next) {
                interrupt_window();
                if (p->pid == number || p->group == number || p->session == number ||
                    p->left_in_front == number)
                        return true;
        }
        return false;
}
