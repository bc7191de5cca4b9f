/* watch.h - what ends a program that is quiet for too long. */
#ifndef TOLLGATE_DEV_WATCH_H
#define TOLLGATE_DEV_WATCH_H

#include <stdbool.h>

bool watch_init(void);  /* false: this machine has nothing that can interrupt a quiet program */
bool watch_works(void); /* what that said */

#define WATCH_SECONDS 3600   /* after so many of the real-time clock a program is quiet no longer */
extern unsigned watch_ended; /* programs that were quiet for so long, of this run */

/* The core asks these (core/above.h): the machine becomes quiet, or stops being quiet; an NMI has
 * come. */
void watch_quiet(bool quiet);
bool watch_ends(void);
/* With work pending: whether the current program, which is quiet, ends. */
bool watch_rang(void);

#endif
