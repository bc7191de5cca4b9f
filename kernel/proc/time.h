/* time.h - times as programs write and read them: seconds and a fraction, each a word of theirs. */
#ifndef TOLLGATE_PROC_TIME_H
#define TOLLGATE_PROC_TIME_H

#include <stdint.h>

#define NANOSECONDS 1000000000u /* of a second: struct timespec */
#define MICROSECONDS 1000000u   /* struct timeval */

/* A struct timespec (or timeval, by its `parts` of a second) of the program's in ticks, rounded up,
 * 100 days at most. 0, -EFAULT or -EINVAL. */
int time_read(uintptr_t from, uint32_t parts, uint32_t *ticks);
long time_write(uintptr_t to, uint32_t parts, uint32_t ticks); /* 0 or -EFAULT */

#endif
