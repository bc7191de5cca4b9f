/* handoff.h - the hand-off, toll_hand(): a word and the processor, straight to a partner. */
#ifndef TOLLGATE_TOLL_HANDOFF_H
#define TOLLGATE_TOLL_HANDOFF_H

#include <stdbool.h>

struct thread;

struct handoff {
        struct thread *partner; /* of the last call; itself = none, or it has ended */
        struct thread *takes;   /* waits for a word from this one */
        bool gives;             /* `word`, when the partner comes to take it */
        int word;
};

/* The thread ends: it hands nothing over any more. */
void handoff_end(struct thread *thread);

#endif
