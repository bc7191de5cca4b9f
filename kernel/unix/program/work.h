/* work.h - what is pending on the way out to a program. */
#ifndef TOLLGATE_UNIX_PROGRAM_WORK_H
#define TOLLGATE_UNIX_PROGRAM_WORK_H

/* What devices have to say (WORK_DEVICE) is seen to. */
void work_devices(void);

#endif
