/* leave.h - a thread gives its resources back. */
#ifndef TOLLGATE_UNIX_PROGRAM_LEAVE_H
#define TOLLGATE_UNIX_PROGRAM_LEAVE_H

struct thread;

/* It leaves the memory that vfork() lent it: the lender goes on. */
void thread_give_back(struct thread *thread);
/* All that a process's thread has of its own: core/above.h, let_go(). */
void task_let_go(struct thread *thread);

#endif
