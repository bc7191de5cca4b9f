/* child.h - work that may end badly, in a process of its own. */
#ifndef TOLLGATE_USER_LIB_CHILD_H
#define TOLLGATE_USER_LIB_CHILD_H

#include <stdbool.h>
#include "toll.h"

/* How a child ended, as wait4() says it; CHILD_HUNG = it was killed after `limit` milliseconds. */
#define CHILD_HUNG -1
int child_wait(long pid, unsigned limit);

/* On another kernel than Tollgate, and root there: what tries everything would spoil the machine.
 */
bool would_do_harm(bool tollgate);

/* Whether fork() is there. */
bool kernel_can_fork(void);

/* Frames and objects of the kernel's heap that are gone since `before`: from counts_settled() to
 * counts_lost(), of which each waits until threads that have ended are freed. */
struct lost {
        int frames, objects;
};
struct toll_counts counts_settled(void);
struct lost counts_lost(struct toll_counts before);

#define CHILD_SIGNAL(status) ((status)&0x7f)
#define CHILD_STATUS(status) ((status) >> 8 & 0xff)

const char *end_name(unsigned signal); /* "lives" if it is 0 */

#endif
