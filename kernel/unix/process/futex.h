/* futex.h - memory words that threads wait on (futex(2)). */
#pragma once
struct thread;

/* For an ending thread: zeroes its CLONE_CHILD_CLEARTID word, for pthread_join(). */
void futex_clear_tid(struct thread *thread);
/* Notifies waiters for the current thread's robust mutexes that their owner has ended. */
void futex_owner_ends(struct thread *thread);
