/* thread.c - the list of threads: made, found, taken apart. */
#include "thread/thread.h"
#include "cpu/protect.h"
#include "cpu/window.h"
#include "file/file.h"
#include "file/fs.h"
#include "mem/frame.h"
#include "mem/heap.h"
#include "mem/memory.h"
#include "mem/space.h"
#include "process/process.h"
#include "process/signal.h"

#define PID_AGAIN 300 /* the first number of another round, as Linux's */

extern char entry_work[];

struct thread *threads;
static unsigned count;
static uint32_t last_tid;

struct thread *thread_find(uint32_t tid)
{
        struct thread *t = threads;
        while (t && (t->tid != tid || t->state == THREAD_ENDED))
                t = t->next;
        return t;
}

struct frame *thread_frame(const struct thread *thread)
{
        return (struct frame *)thread->stack_top - 1;
}

/* An orphan that has ended waits to be reaped by the process it was given to, which may not know
 * of it and never do so. When there is no more room, the kernel reaps it. */
static void make_room(void)
{
        for (struct process *p = processes; count == THREADS && p; p = p->next) {
                interrupt_window();
                if (p->reparented && !p->threads)
                        process_forget(p);
        }
        process_reap_forgotten();
}

/* Whether a number is one of a thread, a process, a group or a session. */
static bool in_use(uint32_t tid)
{
        for (const struct thread *t = threads; t; t = t->next) {
                const struct process *p = t->process;
                interrupt_window();
                if (t->tid == tid || (p && (p->pid == tid || p->group == tid || p->session == tid)))
                        return true;
        }
        return false;
}

static uint32_t next_tid(void)
{
        static bool again; /* all numbers have been given once */
        do {
                again |= last_tid == PID_MAX;
                last_tid = last_tid < PID_MAX ? last_tid + 1 : PID_AGAIN;
        } while (again && in_use(last_tid));
        return last_tid;
}

unsigned thread_count(void)
{
        return count;
}

unsigned thread_ready_count(void)
{
        unsigned ready = 0;
        for (const struct thread *t = threads; t; t = t->next)
                ready += t->state == THREAD_READY;
        return ready;
}

uint32_t thread_last(void)
{
        return last_tid;
}

struct thread *thread_create(void)
{
        make_room();
        struct thread *thread = count < THREADS ? heap_allocate(sizeof *thread) : NULL;
        if (!thread)
                return NULL;
        thread->stack_top = stack_create();
        if (!thread->stack_top) {
                heap_free(thread);
                return NULL;
        }
        void **sp = (void **)thread_frame(thread) - 1;
        *sp = entry_work; /* where stack_switch() goes on: it may have been told to end before */
        thread->kernel_sp = sp;
        thread->handoff.partner = thread;
        fpu_image(thread->fpu);
        thread->tid = next_tid();
        thread->next = threads;
        thread->back = &threads;
        if (threads)
                threads->back = &thread->next;
        threads = thread;
        count++;
        return thread;
}

bool thread_join(struct thread *thread, struct process *process)
{
        thread->process = process ? process : process_create(thread);
        if (!thread->process)
                return false;
        thread->process->threads++;
        thread->next_member = thread->process->members;
        thread->process->members = thread;
        thread->pid = thread->process->pid;
        return true;
}

void thread_let_go(struct thread *thread)
{
        if (thread->holds) /* it was killed in a read */
                file_release(thread->transfers);
        thread->holds = false;
        thread->transfers = NULL;
        files_release(thread->files);
        fs_release(thread->fs);
        signal_actions_release(thread->actions);
        signal_forget(&thread->signals, ~0ull);
        memory_release(thread->memory);
        thread_give_back(thread);
        if (thread->probe_frame)
                frame_free(thread->probe_frame);
        thread->files = NULL;
        thread->fs = NULL;
        thread->actions = NULL;
        thread->memory = NULL;
        thread->probe_frame = 0;
}

/* (One that never joined has none.) */
static void leave_process(const struct thread *thread)
{
        struct thread **link = thread->process ? &thread->process->members : NULL;
        while (link && *link != thread) {
                interrupt_window();
                link = &(*link)->next_member;
        }
        if (link)
                *link = thread->next_member;
}

void thread_destroy(struct thread *thread)
{
        *thread->back = thread->next;
        if (thread->next)
                thread->next->back = thread->back;
        leave_process(thread);
        count--;
        thread_let_go(thread);
        stack_destroy(thread->stack_top);
        heap_free(thread);
}
