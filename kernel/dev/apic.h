/* apic.h - the local APIC. */
#ifndef TOLLGATE_DEV_APIC_H
#define TOLLGATE_DEV_APIC_H

void apic_init(void); /* its timer masked, its registers mapped */

/* NULL, or why a program cannot interrupt itself by the local APIC, whose registers are at
 * APIC_PAGE. */
const char *apic_missing(void);

#endif
