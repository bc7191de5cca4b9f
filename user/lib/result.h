/* result.h - a suite's records: a row's figures, or why it has none. */
#pragma once
#include "statistics.h"

/* Opens one record at a time; more keys may be added. It includes the row's noise, and a noisy row
 * also gets a separate record. */
void result_open(struct json *json, const char *suite, const char *id, const char *label,
                 const struct statistics *s);
void result_close(struct json *json, const char *suite, const char *id);
void print_result(const char *suite, const char *id, const char *label, const struct statistics *s);
/* A row or control whose figure is reported but unreliable. */
void print_noisy(const char *suite, const char *id, const char *reason);
void print_skip(const char *suite, const char *id, const char *reason);
