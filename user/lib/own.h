/*
 * own.h - what a program has beside its general registers: x87 and SSE, the data segments, the
 * bases of FS and GS. And what the kernel has that no call may change: its checksum (toll.h).
 */
#ifndef TOLLGATE_USER_LIB_OWN_H
#define TOLLGATE_USER_LIB_OWN_H

#include <stddef.h>

enum {
        OWN_NAMES_SIZE = 120
};

/* Values of its own in all of them, which no other process has. A row may be armed: nothing else is
 * selected by it, so it comes before a row that only the next call finds. */
void own_load(void);
/* The names of the parts that have changed, "nothing" if all is as own_load() left it. */
const char *own_changed(char *to, size_t size);

#endif
