/* end.h - how threads and processes end. */
#pragma once
#include <stdbool.h>

/* Ends the current thread, at the latest on its way out of the kernel, with a status for wait4().
 * The first thread's status is the process's. _group: ends all its threads. */
void process_end(int status);
void process_end_group(int status);
struct process;
void process_end_all(struct process *process, int status); /* the same for any process */
void process_end_by(int signal); /* the whole process, killed by a signal */
void process_stop(void);         /* stops this thread until its process gets SIGCONT or SIGKILL */
#define STATUS_EXIT(code) (((code)&0xff) << 8)
#define STATUS_SIGNAL(signal) (signal)
#define STATUS_STOPPED(signal) ((signal) << 8 | 0x7f)
#define STATUS_CONTINUED 0xffff

/* Gives up the processor for good (WORK_EXIT). */
_Noreturn void process_leave(void);

/* Ends the current process by SIGSEGV at once, from any depth of the kernel. */
void process_kill(const char *why) __attribute__((noreturn));
/* No frame is free for a page: a program ends, with a message. Returns whether to try again:
 * `user`, or the kernel, in the midst of anything and without a turn of others, has a spare frame.
 */
bool process_out_of_memory(bool user);
void spares_fill(void); /* when frames are free */

/* Its last thread has ended: notifies its parent, and gives its children a new one (leave.c). */
struct process;
void process_announce(struct process *process),
        process_reparent_children(const struct process *process);
