/* process.c - the life of a program: made, run, ended, taken apart. */
#include "proc/process.h"
#include "cpu/chain.h"
#include "cpu/cpu.h"
#include "cpu/descriptor.h"
#include "cpu/protect.h"
#include "cpu/trap.h"
#include "dev/console.h"
#include "dev/timer.h"
#include "file/file.h"
#include "file/node.h"
#include "file/terminal.h"
#include "lib/string.h"
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

static struct process *first_thread(uint32_t pid)
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

static bool last_of_group(const struct process *process)
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
                if (p->adopted && p->state == PROCESS_ENDED && last_of_group(p))
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
static void let_go(struct process *process)
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
        let_go(process);
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

/* --- the end --------------------------------------------------------------------------------- */

void process_end(int status)
{
        cpu_current->status = status;
        work_add(WORK_EXIT);
}

void process_end_group(int status)
{
        for (struct process *p = processes; p; p = p->next) {
                if (p->pid != cpu_current->pid || p == cpu_current || p->state == PROCESS_ENDED)
                        continue;
                p->status = status;
                p->work |= WORK_EXIT;
                wake(p);
        }
        process_end(status);
}

/* The parent learns of the end of a program: of its first thread, when the last has ended. */
static void announce(struct process *process)
{
        struct process *leader = first_thread(process->pid);
        if (!leader)
                leader = process;
        process->forgotten = process != leader;
        if (!last_of_group(process))
                return;
        struct process *parent = leader->parent;
        if (!parent) {
                leader->forgotten = !leader->kept;
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
        for (struct process *p = processes; p; p = p->next)
                if (p->pid == parent->pid)
                        wake_all(&p->children);
}

/* Whose the children of a process are when it has ended: another thread's of its program, or the
 * program's that the kernel started. NULL = nobody's, who are forgotten when they end. */
static struct process *heir_of(const struct process *process)
{
        struct process *heir = NULL;
        for (struct process *p = processes; p; p = p->next) {
                if (p == process || p->state == PROCESS_ENDED)
                        continue;
                if (p->pid == process->pid)
                        return p;
                if (p->kept)
                        heir = p;
        }
        return heir;
}

static void bequeath(struct process *process)
{
        struct process *heir = heir_of(process);
        for (struct process *p = processes; p; p = p->next) {
                if (p->parent != process)
                        continue;
                p->parent = heir;
                p->adopted = true;
                if (p->state == PROCESS_ENDED && p->tid == p->pid && last_of_group(p))
                        announce(p);
        }
}

/* Out of the processor, for good. */
static _Noreturn void leave(void)
{
        struct process *process = cpu_current;
        trap_watch(0);
        thread_clear_tid(process);
        hand_end(process);
        bequeath(process);
        interrupts_off();
        space_enter(kernel_space);
        let_go(process);
        process->state = PROCESS_ENDED;
        announce(process);
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

_Noreturn void process_kill(const char *why)
{
        say("%s: killed by SIGSEGV: %s\n", cpu_current->path, why);
        process_end_by(SIGSEGV);
        leave();
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
                } else {
                        schedule();
                }
        }
}

/* --- a program that the kernel starts --------------------------------------------------------- */

/* What every program finds, whatever the one before it has set. */
static void settings_reset(void)
{
        timer_quiet(false);
        timer_rate(TIMER_HZ);
        fence_set(fence_boot);
        descriptor_protect(PROTECTION_whole);
        chain_record(false);
}

static int read_kernel(void *to, uintptr_t from, size_t size)
{
        memcpy(to, (const void *)from, size);
        return 0;
}

static bool equip(struct process *process)
{
        process->measures = true;
        process->kept = true;
        process->probe_frame = frame_allocate();
        process->files = files_create();
        process->actions = signal_actions_create();
        return process->probe_frame && process->files && process->actions;
}

/* One program, or (0) any. */
static bool is_there(uint32_t pid)
{
        const struct process *p = processes;
        while (p && pid && (p->pid != pid || p->state == PROCESS_ENDED))
                p = p->next;
        return p;
}

static void run_until_ended(uint32_t pid)
{
        while (is_there(pid)) {
                if (cpu_work & WORK_INPUT) {
                        cpu_work &= (uint8_t)~WORK_INPUT;
                        terminal_service();
                }
                schedule();
                process_bury();
                schedule_idle();
        }
}

static int exit_code(int status)
{
        return status & 0x7f ? 128 + (status & 0x7f) : status >> 8 & 0xff;
}

int process_run(const char *path, char *const arguments[])
{
        static const char *const nothing[] = {NULL};
        const struct exec_strings strings = {(uintptr_t)arguments, (uintptr_t)nothing,
                                             sizeof(char *), read_kernel};
        struct process *process = process_create();
        int error = -ENOMEM;
        if (!process || !equip(process))
                say("%s: not started: out of memory\n", path);
        else
                error = exec_load(process, path, &strings, process_frame(process), true);
        if (!error) {
                settings_reset();
                terminal_set_group(process->pid);
                schedule_add(process);
                uint32_t pid = process->pid;
                run_until_ended(pid);
                process = first_thread(pid); /* execve() by another thread changes it */
                error = exit_code(process->status);
        }
        if (process)
                process_destroy(process);
        signal_send_all(SIGKILL);
        run_until_ended(0);
        return error;
}
