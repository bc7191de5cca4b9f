/*
 * signal.h - Linux's signals: defaults, handlers, masks, frames. Numbers and flags are in uapi.h.
 *
 * A frame on the program's stack is built by arch/<arch>/sigframe (32-bit programs: Linux's i386
 * layout, under both kernels).
 */
#ifndef TOLLGATE_PROC_SIGNAL_H
#define TOLLGATE_PROC_SIGNAL_H

#include <stdbool.h>
#include "arch.h"
#include "uapi.h"

struct signal_info {
        int signal, code;
        uintptr_t address;    /* of a fault */
        uint32_t sender;      /* pid, of kill and SIGCHLD */
        int status;           /* of SIGCHLD */
        unsigned trap, error; /* of a fault: vector and error code, as the sigcontext has them */
};

struct signal_action {
        uintptr_t handler; /* 0 = SIG_DFL, 1 = SIG_IGN */
        uint64_t mask;
        unsigned flags; /* SA_ */
        uintptr_t restorer;
};

/* Shared by threads (CLONE_SIGHAND); copied by fork. */
struct signal_actions {
        unsigned users;
        struct signal_action of[SIGNALS + 1];
};

/* Per thread. Of a signal that comes twice before it is delivered, one stays (as Linux's below 32;
 * there is no queue). */
struct signal_state {
        uint64_t pending, mask;
        uint64_t saved_mask; /* what rt_sigsuspend puts back, if `suspended` */
        bool suspended;
        struct signal_info info[32];       /* of pending signals 1 to 31 */
        uintptr_t stack_start, stack_size; /* sigaltstack */
        unsigned stack_flags;
};

struct process;
struct thread;

/* Marks a signal pending and wakes the thread if it wants it. An ignored signal is dropped, and so
 * is one from who may not send it: every signal comes this way. */
void signal_send(struct thread *thread, const struct signal_info *info);
/* To one of its threads, one that does not block it if there is one. 0, or -ESRCH. */
int signal_send_process(uint32_t pid, const struct signal_info *info);
/* After the current thread has opened its mask: what was sent to the process, and waits in another
 * thread that blocks it, is this one's now. */
void signal_take_over(void);
/* The current thread waits with another mask: its own comes back on its way out, or in the frame of
 * the handler that ends the wait. */
void signal_suspend(uint64_t mask);
/* To every process of a process group. 0, or -ESRCH. */
int signal_send_group(uint32_t group, const struct signal_info *info);
/* The process has stopped, or goes on: its parent is told. `signal`: by which. */
void signal_changed(struct process *process, int code, int signal);
/* Whether the ends of a living process's children are none of its business (SIGCHLD ignored:
 * wait(2), "Notes"). */
bool signal_ignores_children(const struct process *process);
bool signal_ignored(const struct thread *thread, int signal);
bool signal_stops(int signal); /* by default */
/* Whether a signal is pending that the thread neither blocks nor ignores. */
bool signal_wanted(const struct thread *thread);

/* On the way out to a program: delivers what is pending by changing the frame, or ends the
 * process. Called by work_do. */
void signal_deliver(struct frame *frame);

struct signal_actions *signal_actions_create(void);
struct signal_actions *signal_actions_copy(const struct signal_actions *from);
void signal_actions_release(struct signal_actions *actions);
void signal_actions_reset(struct signal_actions *actions); /* execve: handlers to default */

#endif
