/* leave.h - frees a thread's resources. */
#ifndef TOLLGATE_UNIX_PROGRAM_LEAVE_H
#define TOLLGATE_UNIX_PROGRAM_LEAVE_H

struct thread;

/* Leaves the memory that vfork() lent: the lender continues. */
void thread_give_back(struct thread *thread);
/* Frees the private state of a process's thread: core/above.h, let_go(). */
void task_let_go(struct thread *thread);

#endif
