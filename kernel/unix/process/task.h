/*
 * task.h - what a thread of a Unix process has besides what the core knows of it (thread/thread.h),
 * right behind that.
 */
#ifndef TOLLGATE_UNIX_PROCESS_TASK_H
#define TOLLGATE_UNIX_PROCESS_TASK_H

#include "process/signal_queue.h"
#include "thread/thread.h"

struct file;
struct files;
struct fs;
struct process;

/* Time of the processor, in ticks; page faults; and the most pages at a time of memory that is
 * freed already. */
struct usage {
        uint32_t user, system, faults;
        size_t pages;
};

#define TASK_NAME 16 /* its 0 included */

/* Where a futex lies: in the memory of one program, or (NULL) in a frame that programs share. */
struct futex_key {
        const struct memory *memory;
        uintptr_t address; /* 0 = none */
};

struct task {
        struct process *process;

        /* As the memory, shared or copied. execve() gives the thread new ones, while the others of
         * its process end with the old. */
        struct files *files;
        struct file *transfers; /* the file of its read or write, where other threads share its
                                 * files */
        bool holds;             /* that has been closed, and is its own to release */
        bool resumes; /* a sleep that a signal interrupted is made again: it ends at `wakes_at` */
        struct fs *fs;
        struct signal_actions *actions;
        struct signal_state signals;

        struct thread *next_member; /* in the list of its process */
        char name[TASK_NAME];       /* prctl()'s; "": the last part of its program's path */
        uint8_t death_signal;       /* it gets that when its parent ends; 0 = none */
        struct usage usage;
        struct thread *lender, *borrower; /* vfork(): its memory's owner; the child in its own */
        uintptr_t clear_tid;    /* CLONE_CHILD_CLEARTID: zeroed, and its futex woken, at the end */
        uintptr_t robust;       /* set_robust_list()'s head, or 0 */
        struct futex_key futex; /* the futex of its FUTEX_WAIT */
        uint32_t futex_bits;    /* the bits of FUTEX_WAKE that wake it */
};

static inline struct task *task_of(const struct thread *thread)
{
        return (struct task *)(thread + 1);
}

/* The current thread's. */
static inline struct task *task(void)
{
        return task_of(cpu_current);
}

#endif
