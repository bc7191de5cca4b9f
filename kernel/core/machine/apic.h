/* apic.h - the local APIC. */
#ifndef TOLLGATE_CORE_MACHINE_APIC_H
#define TOLLGATE_CORE_MACHINE_APIC_H

#include <stdbool.h>
#include <stdint.h>

void apic_init(void); /* its timer masked, its registers mapped */

/* A vector that is no line of the 8259's: its timer's, or nobody's (its spurious one, or a stray
 * message). */
void apic_interrupt(unsigned vector);

/* Counts of its timer, which divides its clock by 16, in *span counts of the TSC; *span becomes the
 * exact number. 0 = the timer does not count. */
uint32_t apic_counts(uint64_t *span);

/* Its timer as a ticker, whose rate is found against the TSC's in Hz; NULL = it has none, or that
 * is not known. */
const struct ticker *apic_ticker(uint64_t hertz);
extern bool apic_ticks;     /* it has been asked for, and is there */
bool apic_in_service(void); /* its tick waits for its end */

/* Its ID, in bits 31 to 24. False: it has none that an I/O APIC could name here. */
bool apic_id(uint32_t *id);

/* NULL, or why a program cannot interrupt itself by the local APIC, whose registers are at
 * APIC_PAGE. */
const char *apic_missing(void);

#endif
