/* measure.h - the measuring program: every row of one suite, as docs/measuring.md says. */
#ifndef TOLLGATE_USER_LIB_MEASURE_H
#define TOLLGATE_USER_LIB_MEASURE_H

#include <stdbool.h>

/* Two variants of a mechanism, of which one must cost more. The first pair that it has is a
 * control. `slight`: the difference is so small that only an exact counter must see it. */
#define ORDERS 2
struct order {
        const char *dear, *cheap;
        bool slight;
};

/* Unless it is null: why a row that the processor has is not to be tried, or NULL. */
struct toll_row;
extern const char *(*measure_lack)(const struct toll_row *);

/* The program's status: check_status(), or 2 if nothing could be measured (said why). */
int measure(char **argv, const char *suite, const struct order orders[ORDERS]);

#endif
