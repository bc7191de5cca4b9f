/* power.h - powers off or resets the machine. */
#pragma once
/* Resets the machine: its loader starts again. */
_Noreturn void reset(void);
/* Powers an emulated machine off; returns on any other. */
void emulator_off(void);
/* Powers it off, or asks a person to. */
_Noreturn void power_off(void);
