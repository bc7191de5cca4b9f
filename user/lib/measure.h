/* measure.h - measures every row of a suite, as in docs/measuring.md. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* Two variants of a mechanism: the first must cost more. The first pair present is a control.
 * `slight`: the difference is so small that only an exact counter must show it. */
#define ORDERS 2
struct order {
        const char *dear, *cheap;
        bool slight;
};

/* If not NULL: returns why an existing row must not be tried, or NULL. */
struct toll_row;
extern const char *(*measure_lack)(const struct toll_row *);

/* If not NULL: adds to each row's record, and returns a spread that must be 0 if the counter is
 * exact. measure_once() takes a row's clean samples once more. */
struct json;
struct statistics;
extern int64_t (*measure_more)(int index, const struct toll_row *, struct json *);
void measure_once(int index, const struct toll_row *row, struct statistics *s);

/* The program's exit status: check_status(), or 2 with a message if nothing could be measured. */
int measure(char **argv, const char *suite, const struct order orders[ORDERS]);
