/* child.h - work that may end badly, in a process of its own. */
#ifndef TOLLGATE_USER_LIB_CHILD_H
#define TOLLGATE_USER_LIB_CHILD_H

#include <stdbool.h>

/* How a child ended, as wait4() says it; CHILD_HUNG = it was killed after `limit` milliseconds. */
#define CHILD_HUNG -1
int child_wait(long pid, unsigned limit);

/* On another kernel than Tollgate, and root there: what tries everything would spoil the machine.
 */
bool would_do_harm(bool tollgate);

#define CHILD_SIGNAL(status) ((status)&0x7f)
#define CHILD_STATUS(status) ((status) >> 8 & 0xff)

const char *end_name(unsigned signal); /* "lives" if it is 0 */

#endif
