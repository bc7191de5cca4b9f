/* reader.h - the kernel's own reader of the time (clock/page.h), in the order that the including
 * file sets, or in the right one. */
#pragma once
#include "clock/page.h"
#include "linux.h"

typedef int reader(const struct clock_page *page, struct timespec *to);
reader in_order, unchecked, swapped, one_number;

static inline int read_time(const struct clock_page *page, struct timespec *to)
{
        uint64_t now = clock_moment(clock_read(page, tsc));
        to->seconds = (long)moment_seconds(now);
        to->nanoseconds = (long)moment_parts(now, NANOSECONDS);
        return 0;
}
