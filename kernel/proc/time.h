/* time.h - times as programs write and read them: seconds and a fraction, each a word of theirs. */
#ifndef TOLLGATE_PROC_TIME_H
#define TOLLGATE_PROC_TIME_H

#include <stdbool.h>
#include <stdint.h>
#include "clock/page.h"

/* A struct timespec (or timeval, by its `parts` of a second) of the program's in ticks, rounded up,
 * 100 days at most. 0, -EFAULT or -EINVAL. */
int time_read(uintptr_t from, uint32_t parts, uint32_t *ticks);
/* The same of a moment on a clock: how many ticks are left until then. */
int time_left(uintptr_t from, bool by_date, uint32_t *ticks);
long time_write(uintptr_t to, uint32_t parts, uint32_t ticks); /* 0 or -EFAULT */

#endif
