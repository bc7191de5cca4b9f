/* futex.h - a word of memory that threads wait on (futex(2)). */
#ifndef TOLLGATE_UNIX_PROCESS_FUTEX_H
#define TOLLGATE_UNIX_PROCESS_FUTEX_H

struct thread;

/* Zeroes the word of CLONE_CHILD_CLEARTID of this thread, which ends, for pthread_join(). */
void futex_clear_tid(struct thread *thread);
/* Tells who waits for a robust mutex of the current thread that its owner has ended. */
void futex_owner_ends(struct thread *thread);

#endif
