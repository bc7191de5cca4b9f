/* power.h - the machine off, or from its beginning. */
#ifndef TOLLGATE_DEV_POWER_H
#define TOLLGATE_DEV_POWER_H

/* Resets the machine: its loader starts again. */
_Noreturn void reset(void);
/* Powers an emulated machine off; returns on any other. */
void emulator_off(void);
/* Powers it off, or says that a person must. */
_Noreturn void power_off(void);

#endif
