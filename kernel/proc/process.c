/* process.c - the table of processes: made, found, taken apart; and whose code an address is. */
#include "proc/process.h"
#include "cpu/protect.h"
#include "file/file.h"
#include "file/node.h"
#include "mem/frame.h"
#include "mem/heap.h"
#include "mem/memory.h"
#include "mem/space.h"

#define THREADS 200 /* kernel stacks are the scarcest they need (mem/space.c) */

extern char entry_work[];

struct thread *threads;
static unsigned count;
static uint32_t last_tid;

extern const struct program_state {
        uintptr_t start, end;
} program_states[], program_states_end[];

bool from_user_elsewhere(const struct frame *frame)
{
        /* In virtual-8086 mode CS is any number. Only QEMU lets IRET at CPL 3 go there. */
        if (frame->flags & RFLAGS_VM)
                return true;
        if (!cpu_trusted)
                return false;
        for (const struct program_state *s = program_states; s < program_states_end; s++)
                if (frame->ip >= s->start && frame->ip < s->end)
                        return true;
        return frame->ip < USER_HALF_END;
}

struct thread *thread_find(uint32_t pid)
{
        struct thread *p = threads;
        while (p && (p->tid != pid || p->state == THREAD_ENDED))
                p = p->next;
        return p;
}

struct thread *process_first_thread(uint32_t pid)
{
        struct thread *p = threads;
        while (p && p->tid != pid)
                p = p->next;
        return p;
}

struct frame *thread_frame(const struct thread *thread)
{
        return (struct frame *)thread->stack_top - 1;
}

bool process_is_last(const struct thread *thread)
{
        for (const struct thread *p = threads; p; p = p->next)
                if (p->pid == thread->pid && p != thread && p->state != THREAD_ENDED)
                        return false;
        return true;
}

/* Orphans' ends wait for who adopted them as long as there is room: he may not know of them. */
static void make_room(void)
{
        for (struct thread *p = threads; count == THREADS && p; p = p->next) {
                interrupt_window();
                if (p->adopted && p->state == THREAD_ENDED && process_is_last(p))
                        p->forgotten = true;
        }
        threads_reap();
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
        thread->hand.partner = thread;
        fpu_image(thread->fpu);
        thread->tid = thread->pid = thread->group = thread->session = ++last_tid;
        thread->parent = cpu_current;
        thread->next = threads;
        threads = thread;
        count++;
        return thread;
}

/* What it shares with other threads, or has of its own, but for the kernel stack: a process that
 * waits to be asked for needs no more. */
void thread_let_go(struct thread *thread)
{
        files_release(thread->files);
        node_release(thread->folder);
        signal_actions_release(thread->actions);
        memory_release(thread->memory);
        heap_free((void *)thread->path);
        if (thread->probe_frame)
                frame_free(thread->probe_frame);
        thread->files = NULL;
        thread->folder = NULL;
        thread->actions = NULL;
        thread->memory = NULL;
        thread->path = NULL;
        thread->probe_frame = 0;
}

void thread_destroy(struct thread *thread)
{
        struct thread **link = &threads;
        while (*link != thread)
                link = &(*link)->next;
        *link = thread->next;
        count--;
        thread_let_go(thread);
        stack_destroy(thread->stack_top);
        heap_free(thread);
}

void threads_reap(void)
{
        for (struct thread *p = threads, *next; p; p = next) {
                next = p->next;
                interrupt_window();
                if (p->state == THREAD_ENDED && p->forgotten && p != cpu_current)
                        thread_destroy(p);
        }
}
