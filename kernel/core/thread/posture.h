/* posture.h - per-thread processor settings (posture.c). */
#pragma once
#include <stdint.h>

struct thread;
struct ways;

/* A choice is a number: origin and quiet, plus the tid for a thread that chose rows or registered
 * for stamps. A posture is the choice or, for a thread with TLS, a unique number. */
#define POSTURE_COMPAT 1u /* differs if exactly one of two threads is compat */
#define POSTURE_ORIGIN 3u /* all bits in which enum origin can differ */
#define POSTURE_QUIET 4u
#define POSTURE_TID 3 /* the tid starts at this bit */
#define POSTURE_TLS 0x80000000u

/* Call after a change of origin, trusted, quiet, chooses, registered or segments.special; updates
 * the processor if it is the current thread. */
void posture_changed(struct thread *thread);

/* Called at a switch between threads with different choices. `differs`: the parts that differ. The
 * segments of `from` are still loaded, and have been saved. */
void posture_assume(const struct thread *from, const struct thread *to, uint32_t differs);
/* A switch from the idle kernel, and back to it. */
void posture_begin(const struct thread *to);
void posture_drop(const struct thread *from);

/* Disarms the row that the current thread has armed alone, if any. */
void posture_disarm_alone(void);
/* The current thread's own mechanisms, valid until posture_changed(): for a caller that adds
 * something that is in no row. */
struct ways *posture_own(struct thread *thread);

/* The page for the user half's stamps. */
uintptr_t posture_probe_frame(const struct thread *thread);
