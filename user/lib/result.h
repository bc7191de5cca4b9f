/* result.h - the records of a suite: what a row has measured, or why it has not. */
#ifndef TOLLGATE_USER_LIB_RESULT_H
#define TOLLGATE_USER_LIB_RESULT_H

#include "statistics.h"

/* One at a time: ends with print_record(), and more keys may come before that. */
void result_open(struct json *json, const char *suite, const char *id, const char *label,
                 const struct statistics *s);
void print_result(const char *suite, const char *id, const char *label, const struct statistics *s);
void print_skip(const char *suite, const char *id, const char *reason);

#endif
