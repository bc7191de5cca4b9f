/* task.h - the Unix part of a thread, which follows the core's part (thread/thread.h) in memory. */
#pragma once
#include "process/signal_queue.h"
#include "thread/thread.h"

struct file;
struct files;
struct fs;
struct process;

/* Processor time in ticks; page faults; and the peak number of pages of freed memory. */
struct usage {
        uint32_t user, system, faults;
        size_t pages;
};

#define TASK_NAME 16 /* with its 0 */

/* Identifies a futex: in the memory of this order, or (0) in a frame that programs share. */
struct futex_key {
        uint64_t memory;
        uintptr_t address; /* 0 = none */
};

struct task {
        struct process *process;

        /* Shared or copied like the memory. execve() gives the thread new ones, while other threads
         * of its process end with the old. */
        struct files *files;
        struct file *transfers; /* the file of its current read or write, if its files are shared */
        struct node *late;      /* nodes that it is to free */
        bool holds;             /* that file was closed, and this thread must release it */
        bool resumes;           /* a sleep interrupted by a signal is restarted, until `wakes_at` */
        struct fs *fs;
        struct signal_actions *actions;
        struct signal_state signals;

        struct thread *next_member; /* in its process's list */
        char name[TASK_NAME];       /* set by prctl(); "": the last part of its program's path */
        uint8_t death_signal;       /* sent to it when its parent ends; 0 = none */
        struct usage usage;
        struct thread *lender, *borrower; /* vfork(): the memory's lender; the borrowing child */
        uintptr_t clear_tid;    /* CLONE_CHILD_CLEARTID: zeroed, and its futex woken, at the end */
        uintptr_t robust;       /* set_robust_list()'s head, or 0 */
        struct futex_key futex; /* the futex it waits for */
        uintptr_t futex_frame;  /* the frame it holds meanwhile, or 0 */
        uint32_t futex_bits;    /* bits of FUTEX_WAKE that wake it */
};

static inline struct task *task_of(const struct thread *thread)
{
        return (struct task *)(thread + 1);
}

/* A table that no other task has: the same if it is not shared, or a copy. NULL = out of memory. */
#define OWN(object, copy) ((object)->users > 1 ? copy(object) : (++(object)->users, (object)))

/* The current thread's task. */
static inline struct task *task(void)
{
        return task_of(cpu_current);
}
