/*
 * progress.h - how far a run is: the last row of the screen says suite, row, of how many, and how
 * much time is left. Nothing of it is on the serial line, and no row is longer for it: it is drawn
 * behind each.
 */
#ifndef TOLLGATE_USER_LIB_PROGRESS_H
#define TOLLGATE_USER_LIB_PROGRESS_H

/* `argv`: what the kernel has told (kernel/suites.c). `rows`: all that this program has, measured
 * or not; 0 = that is not known before. Without it nothing is drawn. */
void progress_begin(char **argv, unsigned rows);
void progress_row(const char *suite, const char *id); /* it is done; a control is no row */

#endif
