/* posture.h - what the processor is set up for, for one thread or another (posture.c). */
#ifndef TOLLGATE_PROC_POSTURE_H
#define TOLLGATE_PROC_POSTURE_H

#include <stdint.h>

struct thread;

/* After a change to origin, trusted, quiet, chooses, registered or segments.special; the processor
 * follows if it is the current thread. */
void posture_changed(struct thread *thread);
/* At a switch, if it differs from what the processor is set up for. `from`: whose segments the
 * processor has, which have been saved; NULL = nobody's. */
extern uint32_t posture_now, ways_now; /* the second: whatever its TLS */
void posture_assume(const struct thread *from, const struct thread *to);
void posture_drop(void); /* no thread's: the kernel alone */

/* The page that the user half stamps. */
uintptr_t posture_probe_frame(const struct thread *thread);

#endif
