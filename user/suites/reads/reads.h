/*
 * reads.h - reads of every kind of file, timed: from ring 3 by each way in, from ring 0 by INT 80h,
 * and in kernel space rung by rung. For the suites `ladder`, `files`, `copy` and `html`.
 *
 * Nothing is fenced, and RDTSC's low half is read, as A. Rubini's usystime and ksystime do; but the
 * machine is quiet, and the registers are loaded by hand, so that no C lies between the stamps.
 */
#ifndef TOLLGATE_USER_SUITES_READS_READS_H
#define TOLLGATE_USER_SUITES_READS_READS_H

#include <stdint.h>
#include "timed.h"

/* Rows of a suite besides the read from ring 3 or by INT 80h, sys_read and file_read: */
#define READS_GATES 1 /* the other ways in, and the call with the pointer kept */
#define READS_FAULT 2 /* a read to a bad pointer */

int reads_measure(char **argv, const char *suite, unsigned what);
/* The suite `copy`: reads of data, and copies alone. */
int reads_copy(char **argv);
/* The suite `html`: a page, read and stripped to its text. */
int reads_page(char **argv);

/* The suite `kinds`, by no call of Tollgate's: Linux runs it, too. */
int reads_anywhere(char **argv);

#endif
