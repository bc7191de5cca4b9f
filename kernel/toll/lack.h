/* lack.h - what an emulator may lack, tried once at the boot where a failure is survived. */
#ifndef TOLLGATE_TOLL_LACK_H
#define TOLLGATE_TOLL_LACK_H

extern unsigned lacks; /* enum toll_lack (kernel/toll.h) */

/* Tries all, and says what is not here. Interrupts are off in between. */
void lack_try(void);
/* Why what takes this exception cannot be measured, or NULL. */
const char *lack_of(unsigned vector);

#endif
