/* quiet.h - a quiet machine: no device interrupts, because no line of theirs is heard. */
#ifndef TOLLGATE_CORE_MACHINE_QUIET_H
#define TOLLGATE_CORE_MACHINE_QUIET_H

#include <stdbool.h>

/* Every device's line is masked, or none; cpu_quiet (cpu/current.h) says which. A switch to a
 * thread that is quiet, or from it, comes here (thread/posture.c), and so does the start of a
 * program. */
void quiet_set(bool quiet);

#endif
