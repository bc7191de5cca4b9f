/* run.c - starts the kernel's own programs, and waits for them. */
#include "program/run.h"
#include "cpu/alternatives.h"
#include "entry/ways.h"
#include "cpu/work.h"
#include "dev/screen.h"
#include "machine/console.h"
#include "machine/timer.h"
#include "file/file.h"
#include "file/fs.h"
#include "file/path.h"
#include "file/terminal.h"
#include "fs/ram.h"
#include "lib/string.h"
#include "mem/frame.h"
#include "mem/heap.h"
#include "program/exec.h"
#include "toll/latency.h"
#include "process/death.h"
#include "process/end.h"
#include "process/limit.h"
#include "process/process.h"
#include "thread/thread.h"
#include "trap/chain.h"
#include "program/work.h"
#include "machine/quiet.h"
#include "process/signal.h"

#define CONSOLE "/dev/console"

/* Resets the state with which every program begins, whatever the previous one changed. */
static void settings_reset(void)
{
        quiet_set(false);
        timer_rate(TIMER_HZ);
        fence_set(fence_boot);
        ways_protect(PROTECTION_whole);
        chain_record(false);
        latency_measure(false);
        switch_part(0);
        limit_unchecked = false;
}

static int read_kernel(void *to, uintptr_t from, size_t size)
{
        memcpy(to, (const void *)from, size);
        return 0;
}

/* NULL, or why it failed: the previous program may have changed the tree. */
static const char *equip(struct thread *thread)
{
        int error;
        if (!thread_join(thread, NULL))
                return "out of memory";
        thread->measures = true;
        task_of(thread)->process->kept = true;
        struct node *console = path_find(CONSOLE, NULL, &error);
        bool terminal = console && console->kind->file == &console_kind;
        if (terminal)
                task_of(thread)->files = files_create(console);
        node_release(console);
        if (!terminal)
                return "there is no terminal at " CONSOLE;
        thread->probe_frame = frame_allocate();
        task_of(thread)->fs = fs_create();
        task_of(thread)->actions = signal_actions_create();
        return thread->probe_frame && task_of(thread)->files && task_of(thread)->fs &&
                               task_of(thread)->actions
                       ? NULL
                       : "out of memory";
}

/* Runs until one process, or (NULL) all threads have ended. */
static void run_until_ended(const struct process *process)
{
        while (process ? process->threads != 0 : threads != NULL) {
                spares_fill();
                if (cpu_work & WORK_DEVICE)
                        work_devices();
                schedule();
                process_reap_forgotten();
                ram_drop_part();
                node_release_late();
                screen_show();
                if (heap_sort())
                        process_window();
                else
                        schedule_idle();
        }
}

int process_run(const char *path, char *const arguments[])
{
        static const char *const nothing[] = {NULL};
        const struct exec_strings strings = {NULL, (uintptr_t)arguments, (uintptr_t)nothing,
                                             sizeof(char *), read_kernel};
        spares_fill();
        struct thread *thread = thread_create();
        int error = -ENOMEM;
        const char *wrong = thread ? equip(thread) : "out of memory";
        if (wrong)
                say("%s: not started: %s\n", path, wrong);
        else
                error = exec_load(thread, path, &strings, thread_frame(thread), true);
        if (!error) {
                struct process *process = task_of(thread)->process;
                settings_reset();
                terminal_give(&console_terminal, process);
                schedule_add(thread);
                run_until_ended(process); /* execve() may have replaced its first thread */
                int status = process->status, signal = status & 0x7f;
                error = signal ? 128 + signal : status >> 8 & 0xff;
                process_reap(process);
        } else if (thread && task_of(thread)->process) {
                process_reap(task_of(thread)->process);
        } else if (thread) {
                thread_destroy(thread);
        }
        run_until_ended(NULL); /* its children had to end with it (end.c) */
        death_sum();
        return error;
}
