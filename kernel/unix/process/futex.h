/* futex.h - a word of memory that threads wait on (futex(2)). */
#ifndef TOLLGATE_UNIX_PROCESS_FUTEX_H
#define TOLLGATE_UNIX_PROCESS_FUTEX_H

#include <stdint.h>

struct memory;
struct thread;

/* In the memory of one program, or (NULL) in a frame that programs share. */
struct futex_key {
        const struct memory *memory;
        uintptr_t address; /* 0 = none */
};

/* Zeroes the word of CLONE_CHILD_CLEARTID for who joins this thread, which ends. */
void futex_clear_tid(struct thread *thread);
/* Tells who waits for a robust mutex of the current thread that its owner has ended. */
void futex_owner_ends(struct thread *thread);

#endif
