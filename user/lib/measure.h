/* measure.h - the measuring program: every row of one suite, as docs/measuring.md says. */
#ifndef TOLLGATE_MEASURE_H
#define TOLLGATE_MEASURE_H

#include <stdbool.h>

/* `rises`: the last row of a mechanism must cost more than its first; else less. The program's
 * status: 0, 1 if a check failed, 2 if nothing could be measured (said why). */
int measure(char **argv, const char *suite, bool rises);

#endif
