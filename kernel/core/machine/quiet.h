/* quiet.h - a quiet machine: no device interrupts, because no line of theirs is heard. */
#ifndef TOLLGATE_CORE_MACHINE_QUIET_H
#define TOLLGATE_CORE_MACHINE_QUIET_H

#include <stdbool.h>

/* Every device's line is masked, or none; cpu_quiet (cpu/current.h) says which. A switch to a
 * thread that is quiet, or from it, comes here (thread/posture.c), and so does the start of a
 * program. */
void quiet_set(bool quiet);

/* What ends it: an NMI when it has lasted too long. NULL = the machine has nothing that sends one.
 */
extern const struct quiet_watch {
        void (*begin)(bool quiet);
        bool (*over)(void); /* asked in an NMI: whether this one is it */
} * quiet_watch;

/* In an NMI: whether the program that is quiet must end, for which work is pending then. */
bool quiet_is_over(void);
void quiet_end(void); /* with work pending: ends that program */

#endif
