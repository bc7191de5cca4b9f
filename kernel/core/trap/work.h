/* work.h - what is pending on the way out to a program. */
#ifndef TOLLGATE_CORE_TRAP_WORK_H
#define TOLLGATE_CORE_TRAP_WORK_H

struct frame;

/* Sees to what cpu_work says: ends the thread, or changes the frame. */
void work_do(struct frame *frame);
/* What devices have to say (WORK_DEVICE) is seen to. */
void work_devices(void);

#endif
