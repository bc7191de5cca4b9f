/* process.c - the life of a program: made, run, ended, taken apart. */
#include "proc/process.h"
#include "cpu/cpu.h"
#include "cpu/descriptor.h"
#include "cpu/protect.h"
#include "cpu/trap.h"
#include "dev/console.h"
#include "dev/timer.h"
#include "lib/string.h"
#include "mem/frame.h"
#include "mem/memory.h"
#include "mem/space.h"

extern char boot_stack_top[], trap_return[];
void context_switch(void **save, void *load); /* arch/<arch>/switch.asm */

struct process *cpu_current, *processes;
uintptr_t cpu_stack = (uintptr_t)boot_stack_top;
uintptr_t cpu_user_sp;
uint8_t cpu_work, cpu_trusted;
uintptr_t probe_save[4]; /* where the kernel half of a stamp keeps its registers */

static uint8_t dummy_page[PAGE_SIZE] __attribute__((aligned(PAGE_SIZE)));
static void *kernel_sp;
static uint32_t last_pid;

extern const struct program_state {
        uintptr_t start, end;
} program_states[], program_states_end[];

bool from_user(const struct frame *frame)
{
        /* In virtual-8086 mode CS is any number. Only QEMU lets IRET at CPL 3 go there. */
        if (frame->cs & 3 || frame->flags & RFLAGS_VM)
                return true;
        if (!cpu_trusted)
                return false;
        if (frame->ip < KERNEL_BASE)
                return true;
        for (const struct program_state *s = program_states; s < program_states_end; s++)
                if (frame->ip >= s->start && frame->ip < s->end)
                        return true;
        return false;
}

/* What the processor holds of a process; NULL = the kernel alone. */
static void become(struct process *process)
{
        cpu_current = process;
        cpu_stack = process ? process->stack_top : (uintptr_t)boot_stack_top;
        cpu_work = 0;
        cpu_trusted = process && process->trusted;
        descriptor_set_stack(cpu_stack);
        space_enter(process ? process->memory->space : kernel_space);
        if (process) {
                process_point_probes(process);
                entry_arm(process);
        }
}

/* A process that has not registered stamps into a page that nobody reads. */
void process_point_probes(const struct process *process)
{
        space_set_probe(process->probe_frame,
                        process->registered ? process->probe_frame : PHYSICAL(dummy_page));
}

static bool create(struct process *process)
{
        process->stack_top = stack_create();
        process->probe_frame = process->stack_top ? frame_allocate() : 0;
        process->actions = signal_actions_create();
        process->tid = process->group = process->session = process->pid;
        processes = process;
        return process->probe_frame && process->actions;
}

/* What every program finds, whatever the one before it has set. */
static void settings_reset(void)
{
        timer_quiet(false);
        timer_rate(TIMER_HZ);
        fence_set(fence_boot);
}

static void destroy(struct process *process)
{
        processes = NULL;
        signal_actions_release(process->actions);
        if (process->probe_frame)
                frame_free(process->probe_frame);
        if (process->stack_top)
                stack_destroy(process->stack_top);
        memory_release(process->memory);
}

int process_run(const char *path, char *const arguments[])
{
        struct process process = {.pid = ++last_pid, .path = path, .measures = true};
        int error = -ENOMEM;
        if (!create(&process)) {
                say("%s: not started: out of memory\n", path);
        } else {
                struct frame *frame = (struct frame *)process.stack_top - 1;
                error = exec_load(&process, path, arguments, frame);
                if (!error) {
                        /* context_switch() finds callee-saved registers and a return address. */
                        void **sp = (void **)frame;
                        *--sp = trap_return;
                        process.kernel_sp = memset(sp - SWITCH_WORDS, 0, SWITCH_WORDS * sizeof *sp);
                        fpu_reset();
                        settings_reset();
                        become(&process);
                        context_switch(&kernel_sp, process.kernel_sp);
                        error = process.status;
                }
        }
        destroy(&process);
        return error;
}

/* Back to process_run(), for good. */
static _Noreturn void leave(void)
{
        struct process *process = cpu_current;
        interrupts_off();
        trap_watch(0);
        become(NULL);
        context_switch(&process->kernel_sp, kernel_sp);
        __builtin_unreachable();
}

void process_end(int status)
{
        cpu_current->status = status;
        cpu_work |= WORK_EXIT;
}

void process_end_by(int signal)
{
        process_end(128 + signal);
}

_Noreturn void process_refused(void)
{
        say("%s: killed by SIGSEGV: the processor refused to return to it\n", cpu_current->path);
        process_end_by(SIGSEGV);
        leave();
}

/* Called by every way out whose cpu_work is set (arch/exit.asm). */
void work_do(struct frame *frame)
{
        uint8_t work;
        while ((work = cpu_work)) {
                cpu_work = 0;
                if (work & WORK_EXIT)
                        leave();
                if (work & WORK_SINGLE_STEP)
                        frame->flags |= RFLAGS_TF;
                if (work & WORK_SIGNAL)
                        signal_deliver(frame);
        }
}
