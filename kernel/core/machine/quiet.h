/* quiet.h - a quiet machine: all device interrupts are masked. */
#ifndef TOLLGATE_CORE_MACHINE_QUIET_H
#define TOLLGATE_CORE_MACHINE_QUIET_H

#include <stdbool.h>

/* Masks every device's line, or none, according to cpu_quiet (cpu/current.h). Called at the start
 * of a program and at a switch to or from a quiet thread (thread/posture.c). */
void quiet_set(bool quiet);

#endif
