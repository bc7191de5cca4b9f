/* power.h - powers off or resets the machine. */
#ifndef TOLLGATE_DEV_POWER_H
#define TOLLGATE_DEV_POWER_H

/* Resets the machine: its loader starts again. */
_Noreturn void reset(void);
/* Powers an emulated machine off; returns on any other. */
void emulator_off(void);
/* Powers it off, or asks a person to. */
_Noreturn void power_off(void);

#endif
