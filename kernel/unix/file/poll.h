/* poll.h - waiting for a file of any kind. */
#pragma once
#include "thread/schedule.h"
#include "uapi.h"

#define POLL_READABLE (POLLIN | POLLRDNORM)
#define POLL_WRITABLE (POLLOUT | POLLWRNORM)
#define POLL_LISTS 2 /* lists of waiters that a file may need */

struct file;

/* A program's question about one descriptor. */
struct poll {
        struct file *file; /* held; NULL = not open, or nothing requested */
        int32_t fd;
        uint16_t events, answer;
        unsigned lists;
        struct poll_waiter waiter[POLL_LISTS];
};

/* A kind's poll() calls it for every list that is woken when its events change; `poll` is NULL if
 * nobody waits. */
void poll_on(struct poll *poll, struct waiters *waiters);
void poll_off(const struct poll *poll); /* removes it from all lists */

/* Sets a waiting call's own mask: 0 or -errno; and restores it after the result. */
int mask_set(uintptr_t from, size_t size);
void mask_back(long result);

void epoll_forget(const struct file *file); /* called at its close: all epolls stop watching it */
