/* quiet.h - a quiet machine: all device interrupts are masked. */
#pragma once
#include <stdbool.h>

/* Masks every device's line, or none, according to cpu_quiet (cpu/current.h). Called at the start
 * of a program and at a switch to or from a quiet thread (thread/posture.c). */
void quiet_set(bool quiet);
