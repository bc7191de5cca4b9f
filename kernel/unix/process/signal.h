/* signal.h - Linux's signals: defaults, handlers, masks, frames. Numbers and flags are in uapi.h.
 *
 * A frame on the program's stack is built by arch/<arch>/sigframe (32-bit programs: Linux's i386
 * layout, under both kernels). */
#pragma once
#include <stdbool.h>
#include "arch.h"
#include "process/signal_queue.h"

struct process;
struct thread;

/* Marks a signal pending and wakes the thread if it accepts it. All signals use this. Ignored
 * signals are dropped, and so are those whose sender is not allowed. 0, or -EAGAIN: no room in the
 * queue. */
int signal_send(struct thread *thread, const struct signal_info *info);
/* Sends to one thread of a process, preferably one that does not block it. 0, -ESRCH, -EAGAIN. */
int signal_send_to(const struct process *process, const struct signal_info *info);
int signal_send_process(uint32_t pid, const struct signal_info *info);
/* Sends for a system call to a process or (tid not 0) to its thread; pid 0: any process. Signal 0
 * sends nothing. 0, -EINVAL, -ESRCH, -EAGAIN. */
long signal_send_checked(uint32_t pid, uint32_t tid, const struct signal_info *info);
/* After the current thread unblocked signals, or began to wait for them: takes over those sent to
 * the process that are pending in another thread, which blocks them. */
void signal_take_over(uint64_t signals);
/* Before a thread ends: moves pending signals of the process to others, or to the current one. */
void signal_leave_to_others(struct thread *thread);
void signal_take_from(struct thread *thread);
/* The current thread waits with another mask. Its own is restored on its way out, or by the frame
 * of the handler that ends the wait. */
void signal_suspend(uint64_t mask);
/* Writes a program's struct siginfo: 0 or -EFAULT. siginfo.c */
int siginfo_write(uintptr_t to, const struct signal_info *info);
/* Sends to every process of a group. 0 or -ESRCH. */
int signal_send_group(uint32_t group, const struct signal_info *info);
/* The process was stopped or continued by `signal`: notifies its parent. */
void signal_changed(struct process *process, int code, int signal);
/* Whether a process's children are reaped without wait() (SIGCHLD ignored: wait(2), "Notes"). */
bool signal_ignores_children(const struct process *process);
bool signal_ignored(const struct thread *thread, int signal);
bool signal_stops(int signal); /* by default */
/* Whether another program's signal is not delivered, because the kernel started this one. */
bool signal_spares(const struct thread *thread, int signal);
int signal_first(uint64_t set); /* the pending signal to deliver first */

/* Whether a signal is pending that is neither blocked nor ignored. */
bool signal_wanted(const struct thread *thread);
bool signal_kills(const struct thread *thread); /* a pending signal will end it */

/* Called by work_do on the way out to a program: delivers pending signals by changing the frame, or
 * ends the process. */
void signal_deliver(struct frame *frame);

struct signal_actions *signal_actions_create(void);
struct signal_actions *signal_actions_copy(const struct signal_actions *from);
void signal_actions_release(struct signal_actions *actions);
void signal_actions_reset(struct signal_actions *actions); /* execve: resets handlers to default */
