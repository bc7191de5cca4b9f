/* poll.h - waiting for a file of any kind. */
#ifndef TOLLGATE_UNIX_FILE_POLL_H
#define TOLLGATE_UNIX_FILE_POLL_H

#include "thread/schedule.h"
#include "uapi.h"

#define POLL_READABLE (POLLIN | POLLRDNORM)
#define POLL_WRITABLE (POLLOUT | POLLWRNORM)
#define POLL_LISTS 2 /* of waiters that one file can be waited for in */

struct file;

/* A program's question about one descriptor. */
struct poll {
        struct file *file; /* held; NULL = that is no open file, or nothing is asked */
        int32_t fd;
        uint16_t events, answer;
        unsigned lists;
        struct poll_waiter waiter[POLL_LISTS];
};

/* A kind's poll() names with it every list that is woken when its answer changes; `poll` is NULL
 * where nobody waits. */
void poll_on(struct poll *poll, struct waiters *waiters);
void poll_off(const struct poll *poll); /* from all of them */

/* What a call that waits does with a mask of its own: 0 or -errno; and after its result. */
int mask_set(uintptr_t from, size_t size);
void mask_back(long result);

void epoll_forget(const struct file *file); /* it is closed: no epoll watches it any more */

#endif
