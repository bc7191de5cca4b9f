/* lack.h - features that an emulator may lack, tried once at boot, where a failure is harmless. */
#pragma once
extern unsigned lacks; /* enum toll_lack (kernel/toll.h) */

/* Tries all, and prints the missing ones. Interrupts are off meanwhile. */
void lack_try(void);
/* trial.c: tries a call by each mechanism, then calls ways_init(). Before protect_init(). */
void trial_run(void);
/* Why a row that takes this exception cannot be measured, or NULL. */
const char *lack_of(unsigned vector);
