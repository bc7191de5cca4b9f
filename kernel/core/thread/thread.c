/* thread.c - the list of threads: created, found, destroyed. */
#include "thread/thread.h"
#include "above.h"
#include "cpu/protect.h"
#include "cpu/window.h"
#include "mem/frame.h"
#include "mem/heap.h"
#include "mem/memory.h"
#include "mem/space.h"

#define PID_AGAIN 300 /* the first number after a wrap, as on Linux */

extern char entry_work[];

static unsigned count;
uint32_t thread_last;

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

static bool in_use(uint32_t tid)
{
        for (const struct thread *t = threads; t; t = t->next) {
                interrupt_window();
                if (t->tid == tid)
                        return true;
        }
        return above.number_taken(tid);
}

static uint32_t next_tid(void)
{
        static bool again; /* all numbers have been used once */
        do {
                again |= thread_last == PID_MAX;
                thread_last = thread_last < PID_MAX ? thread_last + 1 : PID_AGAIN;
        } while (again && in_use(thread_last));
        return thread_last;
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

struct thread *thread_create(void)
{
        above.make_room();
        struct thread *thread =
                count < THREADS ? heap_allocate(sizeof *thread + above.thread_bytes) : NULL;
        if (!thread)
                return NULL;
        thread->stack_top = stack_create();
        if (!thread->stack_top) {
                heap_free(thread);
                return NULL;
        }
        void **sp = (void **)thread_frame(thread) - 1;
        *sp = entry_work; /* stack_switch() resumes here: it may have to end already */
        thread->kernel_sp = sp;
        thread->handoff.partner = thread;
        thread->state = THREAD_ENDED; /* hides it until it is scheduled */
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

void thread_let_go(struct thread *thread)
{
        above.left(thread, false);
        memory_leave(thread->memory);
        if (thread->probe_frame)
                frame_free(thread->probe_frame);
        thread->memory = NULL;
        thread->probe_frame = 0;
}

void thread_destroy(struct thread *thread)
{
        *thread->back = thread->next;
        if (thread->next)
                thread->next->back = thread->back;
        above.left(thread, true);
        count--;
        thread_let_go(thread);
        stack_destroy(thread->stack_top);
        heap_free(thread);
}
