/* death.h - what the console is told of programs that the kernel kills: so many a second. */
#ifndef TOLLGATE_UNIX_PROCESS_DEATH_H
#define TOLLGATE_UNIX_PROCESS_DEATH_H

#include <stdbool.h>

/* Says that the current program is killed, for the caller to say by what and to end the line.
 * false: too many were in this second, and it is counted instead. */
bool death_said(void);

/* How many were left out is said, and all is as after the boot. */
void death_sum(void);

#endif
