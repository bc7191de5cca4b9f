/* time.h - times in programs' format: seconds and a fraction, each a word. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "clock/page.h"

/* Reads a program's struct timespec (or select()'s timeval, by its `parts` of a second): the moment
 * (clock/page.h) when that span will have passed, 0 = at once; the end of a sleep that is
 * restarted. 0, -EFAULT or -EINVAL. */
int time_after(uintptr_t from, uint32_t parts, uint64_t *end);
/* Only its length. `carries`: the fraction may be a second or more. */
int time_span(uintptr_t from, uint32_t parts, bool carries, uint64_t *span);
/* The same for a struct timespec with an absolute time. */
int time_at(uintptr_t from, bool by_date, uint64_t *end);
/* The end of a sleep: `moment`, unless the sleep is restarted; then the result of a sleep that a
 * signal interrupted. */
uint64_t sleep_end(uint64_t moment);
long sleep_interrupted(void);
/* Writes the remaining time: 0 or -EFAULT. */
long time_write_left(uintptr_t to, uint32_t parts, uint64_t end);
