/* reads.h - timed reads of every kind of file: from ring 3 by each mechanism, from ring 0 by INT
 * 80h, and in kernel space by each method. For the suites `ladder`, `files`, `copy` and `html`.
 *
 * No fences, and only RDTSC's low half is read, as in A. Rubini's usystime and ksystime; but the
 * machine is quiet, and the registers are loaded by assembly, so that no C is between the stamps.
 */
#pragma once
#include "timed.h"

/* More rows of a suite besides the read from ring 3 or by INT 80h, sys_read and file_read: */
#define READS_GATES 1 /* the other mechanisms, and the call by a saved pointer */
#define READS_FAULT 2 /* a read into a bad pointer */

int reads_measure(char **argv, const char *suite, unsigned what);
/* The suite `copy`: reads of data, and copies alone. */
int reads_copy(char **argv);
/* The suite `html`: reads a page and strips it to its text. */
int reads_page(char **argv);

/* The suite `kinds`, without Tollgate calls: runs on Linux, too. */
int reads_anywhere(char **argv);
