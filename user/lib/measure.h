/* measure.h - the measuring program: every row of one suite, as docs/measuring.md says. */
#ifndef TOLLGATE_USER_LIB_MEASURE_H
#define TOLLGATE_USER_LIB_MEASURE_H

/* Of two variants of a mechanism: which must cost more. The first pair that it has is a control. */
#define ORDERS 2
struct order {
        const char *dear, *cheap;
};

/* The program's status: 0, 1 if a check failed, 2 if nothing could be measured (said why). */
int measure(char **argv, const char *suite, const struct order orders[ORDERS]);

#endif
