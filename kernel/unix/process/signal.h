/*
 * signal.h - Linux's signals: defaults, handlers, masks, frames. Numbers and flags are in uapi.h.
 *
 * A frame on the program's stack is built by arch/<arch>/sigframe (32-bit programs: Linux's i386
 * layout, under both kernels).
 */
#ifndef TOLLGATE_UNIX_PROCESS_SIGNAL_H
#define TOLLGATE_UNIX_PROCESS_SIGNAL_H

#include <stdbool.h>
#include "arch.h"
#include "process/signal_queue.h"

struct process;
struct thread;

/* Marks a signal pending and wakes the thread if it wants it. Every signal comes this way. An
 * ignored signal is dropped, and so is one whose sender may not send it. 0, or -EAGAIN: there is no
 * room to queue it. */
int signal_send(struct thread *thread, const struct signal_info *info);
/* To one of its threads, one that does not block it if there is one. 0, -ESRCH, -EAGAIN. */
int signal_send_to(const struct process *process, const struct signal_info *info);
int signal_send_process(uint32_t pid, const struct signal_info *info);
/* As a call asks: to that process, or (not 0) to that thread of it; pid 0: of any. Signal 0 sends
 * nothing. 0, -EINVAL, -ESRCH, -EAGAIN. */
long signal_send_checked(uint32_t pid, uint32_t tid, const struct signal_info *info);
/* After the current thread has opened its mask, or begun to wait for these: those sent to the
 * process that wait in another thread, which blocks them, are this one's now. */
void signal_take_over(uint64_t signals);
/* Before a thread ends: those sent to the process that wait in it, in another of its threads. */
void signal_leave_to_others(struct thread *thread);
/* The current thread waits with another mask: its own comes back on its way out, or in the frame of
 * the handler that ends the wait. */
void signal_suspend(uint64_t mask);
/* struct siginfo of the program's: 0 or -EFAULT. siginfo.c */
int siginfo_write(uintptr_t to, const struct signal_info *info);
/* To every process of a process group. 0, or -ESRCH. */
int signal_send_group(uint32_t group, const struct signal_info *info);
/* The process has stopped, or goes on: its parent is told. `signal`: by which. */
void signal_changed(struct process *process, int code, int signal);
/* Whether nobody will ask for the ends of a living process's children (SIGCHLD ignored: wait(2),
 * "Notes"). */
bool signal_ignores_children(const struct process *process);
bool signal_ignored(const struct thread *thread, int signal);
bool signal_stops(int signal); /* by default */
/* Whether a signal from another program is not delivered, because the kernel started this one. */
bool signal_spares(const struct thread *thread, int signal);
int signal_first(uint64_t set); /* which of those pending is delivered first */

/* Whether a signal is pending that the thread neither blocks nor ignores. */
bool signal_wanted(const struct thread *thread);
bool signal_kills(const struct thread *thread); /* one is pending that will be the end of it */

/* On the way out to a program: delivers pending signals by changing the frame, or ends the process.
 * Called by work_do. */
void signal_deliver(struct frame *frame);

struct signal_actions *signal_actions_create(void);
struct signal_actions *signal_actions_copy(const struct signal_actions *from);
void signal_actions_release(struct signal_actions *actions);
void signal_actions_reset(struct signal_actions *actions); /* execve: handlers to default */

#endif
