/* result.h - a suite's records: a row's figures, or why it has none. */
#ifndef TOLLGATE_USER_LIB_RESULT_H
#define TOLLGATE_USER_LIB_RESULT_H

#include "statistics.h"

/* One at a time; more keys may be added. Includes the row's noise, and writes a separate record if
 * the row is noisy. */
void result_open(struct json *json, const char *suite, const char *id, const char *label,
                 const struct statistics *s);
void result_close(struct json *json, const char *suite, const char *id);
void print_result(const char *suite, const char *id, const char *label, const struct statistics *s);
/* A row or control whose figure is reported but unreliable. */
void print_noisy(const char *suite, const char *id, const char *reason);
void print_skip(const char *suite, const char *id, const char *reason);

#endif
