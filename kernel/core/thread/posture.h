/* posture.h - the processor's setting for one thread or another (posture.c). */
#ifndef TOLLGATE_CORE_THREAD_POSTURE_H
#define TOLLGATE_CORE_THREAD_POSTURE_H

#include <stdint.h>

struct thread;
struct ways;

/* A choice is a number: origin and quiet, and for a thread that has chosen rows, or registered for
 * stamps, its tid. A posture is the choice, or for a thread with TLS a number of its own. */
#define POSTURE_COMPAT 1u /* differs if one of two threads is compat's and the other is not */
#define POSTURE_ORIGIN 3u /* all that can differ of an enum origin */
#define POSTURE_QUIET 4u
#define POSTURE_TID 3 /* from this bit on */
#define POSTURE_TLS 0x80000000u

/* After a change to origin, trusted, quiet, chooses, registered or segments.special; the processor
 * follows if it is the current thread. */
void posture_changed(struct thread *thread);

/* At a switch between threads of which each has its own choice. `differs`: the parts that differ.
 * `from`'s segments, which the processor has, have been saved. */
void posture_assume(const struct thread *from, const struct thread *to, uint32_t differs);
/* From the kernel alone, and back to it. */
void posture_begin(const struct thread *to);
void posture_drop(const struct thread *from);

/* The row that the current thread has armed alone, if any, is armed no more. */
void posture_disarm_alone(void);
/* The current thread's ways in, which are its own until posture_changed(): for a caller that puts
 * in something that no row says. */
struct ways *posture_own(struct thread *thread);

/* The page that the user half stamps. */
uintptr_t posture_probe_frame(const struct thread *thread);

#endif
