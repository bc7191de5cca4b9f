/* watch.h - ends a program that is quiet for too long. */
#pragma once
#include <stdbool.h>

bool watch_init(void);   /* false: nothing on this machine can interrupt a quiet program */
extern bool watch_works; /* the result of watch_init() */

#define WATCH_SECONDS 3600   /* maximum time that a program may be quiet */
extern unsigned watch_ended; /* programs ended by it in this run */

/* Called by the core (core/above.h): when quiet begins or ends; at an NMI. */
void watch_quiet(bool quiet);
bool watch_ends(void);
/* When work is pending: whether the current quiet program must end. */
bool watch_rang(void);
