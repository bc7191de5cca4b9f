/* result.h - the records of a suite: the figures of a row, or why it has none. */
#ifndef TOLLGATE_USER_LIB_RESULT_H
#define TOLLGATE_USER_LIB_RESULT_H

#include "statistics.h"

/* One at a time, and more keys may come between. With the row's noise, and a record of its own if
 * the row is noisy. */
void result_open(struct json *json, const char *suite, const char *id, const char *label,
                 const struct statistics *s);
void result_close(struct json *json, const char *suite, const char *id);
void print_result(const char *suite, const char *id, const char *label, const struct statistics *s);
/* A row, or a control, whose figure stands and must not be relied on. */
void print_noisy(const char *suite, const char *id, const char *reason);
void print_skip(const char *suite, const char *id, const char *reason);

#endif
