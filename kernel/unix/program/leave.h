/* leave.h - frees a thread's resources. */
#pragma once
struct thread;

/* Leaves the memory that vfork() lent: the lender continues. */
void thread_give_back(struct thread *thread);
/* Frees the private state of a process's thread: core/above.h, let_go(). */
void task_let_go(struct thread *thread);
