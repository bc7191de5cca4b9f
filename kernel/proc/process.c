/* process.c - the table of processes: made, found, taken apart; and whose code an address is. */
#include "proc/process.h"
#include "cpu/protect.h"
#include "file/file.h"
#include "file/node.h"
#include "mem/frame.h"
#include "mem/heap.h"
#include "mem/memory.h"
#include "mem/space.h"

#define PROCESSES 200 /* kernel stacks are the scarcest they need (mem/space.c) */

extern char program_return[];

struct process *processes;
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

struct process *process_find(uint32_t pid)
{
        struct process *p = processes;
        while (p && (p->tid != pid || p->state == PROCESS_ENDED))
                p = p->next;
        return p;
}

struct process *process_first_thread(uint32_t pid)
{
        struct process *p = processes;
        while (p && p->tid != pid)
                p = p->next;
        return p;
}

struct frame *process_frame(const struct process *process)
{
        return (struct frame *)process->stack_top - 1;
}

bool process_is_last(const struct process *process)
{
        for (const struct process *p = processes; p; p = p->next)
                if (p->pid == process->pid && p != process && p->state != PROCESS_ENDED)
                        return false;
        return true;
}

/* Orphans' ends wait for who adopted them as long as there is room: he may not know of them. */
static void make_room(void)
{
        for (struct process *p = processes; count == PROCESSES && p; p = p->next)
                if (p->adopted && p->state == PROCESS_ENDED && process_is_last(p))
                        p->forgotten = true;
        process_bury();
}

struct process *process_create(void)
{
        make_room();
        struct process *process = count < PROCESSES ? heap_allocate(sizeof *process) : NULL;
        if (!process)
                return NULL;
        process->stack_top = stack_create();
        if (!process->stack_top) {
                heap_free(process);
                return NULL;
        }
        void **sp = (void **)process_frame(process) - 1;
        *sp = program_return; /* where stack_switch() goes on */
        process->kernel_sp = sp;
        process->hand.partner = process;
        fpu_image(process->fpu);
        process->tid = process->pid = process->group = process->session = ++last_tid;
        process->parent = cpu_current;
        process->next = processes;
        processes = process;
        count++;
        return process;
}

/* What it shares with other threads, or has of its own, but for the kernel stack: a process that
 * waits to be asked for needs no more. */
void process_let_go(struct process *process)
{
        files_release(process->files);
        node_release(process->folder);
        signal_actions_release(process->actions);
        memory_release(process->memory);
        heap_free((void *)process->path);
        if (process->probe_frame)
                frame_free(process->probe_frame);
        process->files = NULL;
        process->folder = NULL;
        process->actions = NULL;
        process->memory = NULL;
        process->path = NULL;
        process->probe_frame = 0;
}

void process_destroy(struct process *process)
{
        struct process **link = &processes;
        while (*link != process)
                link = &(*link)->next;
        *link = process->next;
        count--;
        process_let_go(process);
        stack_destroy(process->stack_top);
        heap_free(process);
}

void process_bury(void)
{
        for (struct process *p = processes, *next; p; p = next) {
                next = p->next;
                if (p->state == PROCESS_ENDED && p->forgotten && p != cpu_current)
                        process_destroy(p);
        }
}
