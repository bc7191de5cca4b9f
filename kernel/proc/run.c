/* run.c - programs that the kernel starts itself, and waits for. */
#include "cpu/chain.h"
#include "cpu/descriptor.h"
#include "dev/console.h"
#include "dev/timer.h"
#include "file/file.h"
#include "file/path.h"
#include "file/terminal.h"
#include "lib/string.h"
#include "mem/frame.h"
#include "proc/process.h"

#define CONSOLE "/dev/console"

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

/* NULL, or why it cannot be: the program before it may have changed the tree. */
static const char *equip(struct process *process)
{
        int error;
        struct node *console = path_find(CONSOLE, &error);
        process->measures = true;
        process->kept = true;
        if (!console || console->kind != &console_kind)
                return "there is no terminal at " CONSOLE;
        process->probe_frame = frame_allocate();
        process->files = files_create(console);
        process->actions = signal_actions_create();
        return process->probe_frame && process->files && process->actions ? NULL : "out of memory";
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
        const char *wrong = process ? equip(process) : "out of memory";
        if (wrong)
                say("%s: not started: %s\n", path, wrong);
        else
                error = exec_load(process, path, &strings, process_frame(process), true);
        if (!error) {
                settings_reset();
                terminal_set_group(process->pid);
                schedule_add(process);
                uint32_t pid = process->pid;
                run_until_ended(pid);
                process = process_first_thread(pid); /* execve() by another thread changes it */
                error = exit_code(process->status);
        }
        if (process)
                process_destroy(process);
        signal_send_all(SIGKILL);
        run_until_ended(0);
        return error;
}
