/* handoff.h - the hand-off, toll_hand(): a word and the processor, straight to a partner. */
#ifndef TOLLGATE_UNIX_PROCESS_HANDOFF_H
#define TOLLGATE_UNIX_PROCESS_HANDOFF_H

struct thread;

/* The thread ends: it hands nothing over any more. */
void handoff_end(struct thread *thread);

#endif
