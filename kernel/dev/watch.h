/* watch.h - what ends a program that is quiet for too long (machine/quiet.h). */
#ifndef TOLLGATE_DEV_WATCH_H
#define TOLLGATE_DEV_WATCH_H

#include <stdbool.h>

bool watch_init(void); /* false: this machine has nothing that can interrupt a quiet program */

#endif
