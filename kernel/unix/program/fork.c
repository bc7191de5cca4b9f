/* fork.c - fork(), vfork() and clone(): create a process or thread. */
#include "cpu/cpu.h"
#include "cpu/work.h"
#include "file/file.h"
#include "file/fs.h"
#include "node/mapped.h"
#include "node/node.h"
#include "lib/string.h"
#include "mem/frame.h"
#include "mem/heap.h"
#include "mem/memory.h"
#include "thread/user.h"
#include "calls.h"
#include "process/change.h"
#include "process/copy.h"
#include "process/limit.h"
#include "thread/posture.h"
#include "process/process.h"
#include "uapi.h"
#include "tls_start.h"
#include "half.h"
#include "process/signal.h"
#include "process/missing.h"

#define CLONE_KNOWN                                                                                \
        (0xff | CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_VFORK | CLONE_THREAD |   \
         CLONE_SYSVSEM | CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID |               \
         CLONE_DETACHED | CLONE_CHILD_SETTID | CLONE_PTRACE | CLONE_PARENT | CLONE_UNTRACED |      \
         CLONE_IO)

static char *copy_text(const char *text)
{
        size_t size = strlen(text) + 1;
        char *copy = heap_allocate(size);
        return copy ? memcpy(copy, text, size) : NULL;
}

#define SHARE(object) ((object)->users++, (object))

/* Copies the parent's state to a child. False = out of memory. */
static bool inherit(struct thread *child, struct thread *parent, unsigned long flags)
{
        task_of(child)->files = flags & CLONE_FILES ? SHARE(task_of(parent)->files)
                                                    : files_copy(task_of(parent)->files);
        task_of(child)->actions = flags & CLONE_SIGHAND
                                          ? SHARE(task_of(parent)->actions)
                                          : signal_actions_copy(task_of(parent)->actions);
        task_of(child)->fs =
                flags & CLONE_FS ? SHARE(task_of(parent)->fs) : fs_copy(task_of(parent)->fs);
        if (parent->probe_frame)
                child->probe_frame = frame_allocate();
        if (!task_of(child)->files || !task_of(child)->actions || !task_of(child)->fs ||
            (parent->probe_frame && !child->probe_frame))
                return false;
        if (flags & CLONE_VM)
                child->memory = SHARE(parent->memory);
        else {
                memory_change();
                memory_await_cut(parent->memory);
                memory_changed(memory_copy(&child->memory, parent->memory));
        }
        if (!child->memory ||
            (!(flags & CLONE_VM) && !start_probe_page(child->memory, posture_probe_frame(child))))
                return false;

        child->origin = parent->origin;
        child->trusted = parent->trusted;
        child->limit = parent->limit;
        limit_watch(child);
        memcpy(task_of(child)->name, task_of(parent)->name, TASK_NAME);
        task_of(child)->signals.mask = task_of(parent)->signals.mask;
        if (!(flags & CLONE_VM)) {
                task_of(child)->signals.stack_start = task_of(parent)->signals.stack_start;
                task_of(child)->signals.stack_size = task_of(parent)->signals.stack_size;
                task_of(child)->signals.stack_flags = task_of(parent)->signals.stack_flags;
        }
        fpu_save(parent->fpu);
        fpu_load(parent->fpu); /* FNSAVE clears it */
        words_copy(child->fpu, parent->fpu, sizeof child->fpu / WORD);
        segments_save(&parent->segments);
        child->segments = parent->segments;
        return true;
}

/* Chooses its process: the parent's, or a new child. False = out of memory. */
static bool join(struct thread *child, const struct thread *parent, unsigned long flags)
{
        struct process *of = task_of(parent)->process;
        child->measures = parent->measures;
        char *path = flags & CLONE_THREAD ? NULL : copy_text(of->path);
        if (flags & CLONE_THREAD)
                return thread_join(child, of);
        if (!path || !thread_join(child, NULL)) {
                heap_free(path);
                return false;
        }
        struct process *process = task_of(child)->process;
        process->path = path;
        process->program = node_hold(of->program);
        process->group = of->group;
        process->session = of->session;
        process->without_terminal = of->without_terminal;
        process->reparented = flags & CLONE_PARENT;
        if (process->reparented)
                process_adopt(process, of->parent);
        return true;
}

/* Writes to the child's memory, which is not loaded, if it is writable. False = out of memory. */
static bool put_tid(const struct thread *child, uintptr_t to)
{
        struct memory *memory = child->memory;
        const struct area *area = memory_area(memory, to);
        return !area || to < area->start || area->end - to < sizeof child->tid ||
               !(area->flags & AREA_WRITE) ||
               memory_fill(memory, to, &child->tid, sizeof child->tid);
}

/* Only a signal that ends the parent ends this wait: then the child keeps the memory. */
static void wait_for_borrower(struct thread *parent)
{
        while (task_of(parent)->borrower && !(cpu_work & WORK_EXIT) && !signal_kills(parent)) {
                parent->state = THREAD_SLEEPING;
                schedule();
        }
        if (task_of(parent)->borrower)
                task_of(task_of(parent)->borrower)->lender = NULL;
        task_of(parent)->borrower = NULL;
}

static long clone(unsigned long flags, uintptr_t stack, uintptr_t parent_tid, uintptr_t child_tid,
                  uintptr_t tls)
{
        struct thread *parent = cpu_current;
        bool thread = flags & CLONE_THREAD, actions = flags & CLONE_SIGHAND;
        if (flags & ~(unsigned long)CLONE_KNOWN)
                return missing_flags(MISSING_clone, (uint32_t)(flags & ~(unsigned)CLONE_KNOWN),
                                     -EINVAL);
        if ((thread && !actions) || (actions && !(flags & CLONE_VM)))
                return -EINVAL;
        struct thread *child = thread_create();
        if (!child)
                return -EAGAIN;
        if (!inherit(child, parent, flags)) {
                memory_shed(child->memory);
                thread_destroy(child);
                return -ENOMEM;
        }
        struct frame *frame = thread_frame(child);
        *frame = *thread_frame(parent);
        frame->ax = 0;
        frame->flags |= RFLAGS_IF; /* the parent may be quiet */
        frame->number = NO_CALL;
        if (stack)
                frame->sp = stack;
        int error = cpu_work & WORK_EXIT   ? -EINTR /* no code would end it later */
                    : flags & CLONE_SETTLS ? start_tls(child, tls)
                                           : 0;
        if (!error && flags & CLONE_CHILD_SETTID && !put_tid(child, child_tid))
                error = -ENOMEM;
        if (!error && !join(child, parent, flags))
                error = -ENOMEM;
        if (error) {
                memory_shed(child->memory);
                thread_destroy(child);
                return error;
        }
        uint32_t tid = child->tid;
        if (flags & CLONE_PARENT_SETTID)
                user_put(parent_tid, &tid); /* errors are ignored, as on Linux */
        if (flags & CLONE_CHILD_CLEARTID)
                task_of(child)->clear_tid = child_tid;
        posture_changed(child);
        if (flags & CLONE_VFORK) {
                task_of(child)->lender = parent;
                task_of(parent)->borrower = child;
        }
        if (flags & CLONE_THREAD)
                schedule_add_last(child); /* as usually on Linux: programs depend on it */
        else
                schedule_add(child);
        if (flags & CLONE_VFORK)
                wait_for_borrower(parent);
        return (long)tid;
}

long sys_fork(AFTER_0)
{
        return clone(SIGCHLD, 0, 0, 0, 0);
}

long sys_vfork(AFTER_0)
{
        return clone(CLONE_VFORK | CLONE_VM | SIGCHLD, 0, 0, 0, 0);
}

/* The last two arguments are swapped between the widths (clone(2), "C library/kernel
 * differences"). */
long sys_clone(long flags, long stack, long parent_tid, long d, long e, AFTER_5)
{
        bool wide = !call_narrow();
        return clone((unsigned long)flags, (uintptr_t)stack, (uintptr_t)parent_tid,
                     (uintptr_t)(wide ? d : e), (uintptr_t)(wide ? e : d));
}
