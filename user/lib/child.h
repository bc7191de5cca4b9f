/* child.h - runs risky work in a process of its own. */
#pragma once
#include <stdbool.h>
#include "toll.h"

/* How a child ended, as in wait4(); CHILD_HUNG = killed after `limit` milliseconds. */
#define CHILD_HUNG -1
int child_wait(long pid, unsigned limit);

/* True on another kernel, as root: a program that tries everything would damage the machine. */
bool would_do_harm(bool tollgate);

/* Frames and heap objects lost since `before`, from counts_settled() to counts_lost(). Both wait
 * until ended threads are freed. */
struct lost {
        int frames, objects;
};
struct toll_counts counts_settled(void);
struct lost counts_lost(struct toll_counts before);

#define CHILD_SIGNAL(status) ((status)&0x7f)
#define CHILD_STATUS(status) ((status) >> 8 & 0xff)

const char *end_name(unsigned signal); /* "lives" for 0 */
