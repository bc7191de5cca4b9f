/* process.c - the list of processes: made, found, reaped. */
#include "proc/process.h"
#include "cpu/window.h"
#include "clock/clock.h"
#include "dev/timer.h"
#include "file/node.h"
#include "mem/heap.h"
#include "proc/thread.h"

struct process *processes;

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
                .parent = cpu_current ? cpu_current->process : NULL,
                .next = processes,
        };
        processes = process;
        return process;
}

void process_reap(struct process *process)
{
        struct process **link = &processes;
        while (*link != process)
                link = &(*link)->next;
        *link = process->next;
        for (struct thread *t = threads, *next; t; t = next) {
                next = t->next;
                if (t->process == process)
                        thread_destroy(t);
        }
        node_release(process->program);
        heap_free((void *)process->path);
        heap_free(process);
}

void process_reap_forgotten(void)
{
        for (struct thread *t = threads, *next; t; t = next) {
                next = t->next;
                interrupt_window();
                if (t->state == THREAD_ENDED && t != t->process->leader && t != cpu_current)
                        thread_destroy(t);
        }
        for (struct process *p = processes, *next; p; p = next) {
                next = p->next;
                interrupt_window();
                if (p->forgotten && (!cpu_current || p != cpu_current->process))
                        process_reap(p);
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
