/* leave.c - a thread ends: its resources are freed, and another thread runs for good. */
#include "cpu/breakpoint.h"
#include "cpu/cpu.h"
#include "cpu/window.h"
#include "dev/screen.h"
#include "file/file.h"
#include "file/fs.h"
#include "file/terminal.h"
#include "fs/ram.h"
#include "mem/memory.h"
#include "mem/space.h"
#include "node/node.h"
#include "process/end.h"
#include "process/futex.h"
#include "process/process.h"
#include "process/signal.h"
#include "process/usage.h"
#include "program/leave.h"
#include "process/handoff.h"

static void leave_files(struct task *task)
{
        if (task->holds) /* it was killed in a read */
                file_release(task->transfers);
        task->holds = false;
        task->transfers = NULL;
        files_release(task->files);
        task->files = NULL;
}

void task_let_go(struct thread *thread)
{
        struct task *task = task_of(thread);
        struct fs *fs = task->fs;
        leave_files(task);
        task->fs = NULL; /* node_late() */
        fs_release(fs);
        signal_actions_release(task->actions);
        signal_forget(&task->signals, ~0ull);
        thread_give_back(thread);
        task->actions = NULL;
}

struct node **node_late(void)
{
        static struct node *of_nobody; /* the idle kernel frees them, or the next that ends */
        return cpu_current && task()->fs ? &task()->late : &of_nobody;
}

void thread_give_back(struct thread *thread)
{
        struct thread *lender = task_of(thread)->lender;
        if (!lender)
                return;
        task_of(thread)->lender = task_of(lender)->borrower = NULL;
        wake(lender);
}

/* Removed files whose last user is a mapping leave their frames, which others' turns interrupt. */
static void leave_removed(struct memory *memory)
{
        for (const struct area *area = memory->areas, *next; area; area = next) {
                next = area->next;
                if (area->node && area->node->gone && memory->users == 1)
                        memory_unmap(memory, area->start, area->end - area->start);
        }
}

static void leave_folder(struct fs *fs)
{
        struct node *folder = fs->directory;
        if (fs->users > 1)
                return;
        fs->directory = NULL;
        node_release(folder);
}

_Noreturn void process_leave(void)
{
        struct thread *thread = cpu_current;
        struct process *process = task_of(thread)->process;
        breakpoint_set(0);
        thread->limit = thread->memory->limit; /* writes on its behalf still go to its half */
        if (task_of(thread)->robust)
                futex_owner_ends(thread);
        futex_clear_tid(thread);
        interrupt_window(); /* many may end, one after the other */
        leave_files(task_of(thread));
        leave_folder(task_of(thread)->fs);
        memory_shed(thread->memory);
        do {
                leave_removed(thread->memory);
                ram_drop_left(true);
                node_release_late();
                screen_show(); /* why it ended */
                spares_fill();
        } while (memory_shed(thread->memory)); /* others left it meanwhile */
        handoff_end(thread); /* other threads ran until now: they may have met it, or ended */
        if (process->threads > 1) {
                if (!process->ending)
                        signal_leave_to_others(thread);
        } else {
                process->ending = true; /* its own hang-up signal has no effect any more */
                process_reparent_children(process);
                terminal_hang_up(process);
        }
        interrupts_off();
        space_load(kernel_space);
        usage_leave(thread);
        thread_let_go(thread);
        thread->state = THREAD_ENDED;
        if (thread != process->leader)
                thread_forget();
        if (!--process->threads)
                process_announce(process);
        else if (process->executes)
                wake(process->executes);
        schedule_leave();
}
