/* time.h - times as programs write and read them: seconds and a fraction, each a word of theirs. */
#ifndef TOLLGATE_UNIX_PROCESS_TIME_H
#define TOLLGATE_UNIX_PROCESS_TIME_H

#include <stdbool.h>
#include <stdint.h>
#include "clock/page.h"

/* A struct timespec (or timeval, by its `parts` of a second) of the program's: the moment
 * (clock/page.h) when so much will have passed, 0 = at once. 0, -EFAULT or -EINVAL. */
int time_after(uintptr_t from, uint32_t parts, uint64_t *end);
int time_span(uintptr_t from, uint32_t parts, uint64_t *span); /* only how long it is */
/* The same for a struct timespec that is a time of a clock. */
int time_at(uintptr_t from, bool by_date, uint64_t *end);
/* The end of a sleep: `moment`, unless the sleep is restarted; and its result when a signal has
 * interrupted it. */
uint64_t sleep_end(uint64_t moment);
long sleep_interrupted(void);
/* Writes the time that is left: 0 or -EFAULT. */
long time_write_left(uintptr_t to, uint32_t parts, uint64_t end);

#endif
