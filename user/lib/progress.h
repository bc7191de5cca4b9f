/*
 * progress.h - how far a run is: the last row of the screen says suite, row, of how many, and how
 * much time is left. Nothing of it is on the serial line, and no row is longer for it: it is drawn
 * before each.
 */
#ifndef TOLLGATE_USER_LIB_PROGRESS_H
#define TOLLGATE_USER_LIB_PROGRESS_H

#include <stdbool.h>

/* `argv`: the words of the kernel (kernel/suites.c). `rows`: all that this program has, measured or
 * not. Without it nothing is drawn. */
void progress_begin(char **argv, const char *suite, unsigned rows);
/* Where it is not known before how many there are: walk() goes by all rows twice, and the first
 * time they are only counted. */
void progress_walk(char **argv, const char *suite, void (*walk)(void));

/* The next row begins. False = it is only counted: nothing is to be measured, and nothing said. */
bool progress_row(const char *id);

#endif
