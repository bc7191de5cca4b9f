/* progress.h - shows a run's progress in the last row of the screen: suite, row of how many, and
 * time left. Nothing goes to the serial line. It is drawn before each row, so no measurement
 * contains it. */
#pragma once
#include <stdbool.h>

/* `argv`: the kernel's words (kernel/suites.c). `rows`: all rows of this program, measured or not.
 * Before this call nothing is drawn. */
void progress_begin(char **argv, const char *suite, unsigned rows);
/* For an unknown number of rows: walk() is called twice, the first time only to count. */
void progress_walk(char **argv, const char *suite, void (*walk)(void));

/* Begins the next row. False = only counting: do not measure or print. */
bool progress_row(const char *id);
