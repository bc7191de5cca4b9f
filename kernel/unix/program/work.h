/* work.h - pending work on the way out to a program. */
#ifndef TOLLGATE_UNIX_PROGRAM_WORK_H
#define TOLLGATE_UNIX_PROGRAM_WORK_H

/* Handles the devices' events (WORK_DEVICE). */
void work_devices(void);

#endif
