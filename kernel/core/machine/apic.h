/* apic.h - the local APIC. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

void apic_init(void); /* masks its timer, maps its registers */

/* A vector that is not of the 8259: the APIC timer's, its spurious vector, or a stray message. */
void apic_interrupt(unsigned vector);

/* Counts of its timer, at 1/16 of its clock, during *span counts of the TSC; *span becomes the
 * exact number. 0 = the timer does not count. */
uint32_t apic_counts(uint64_t *span);

/* Its timer as a ticker, calibrated against the TSC's rate in Hz; NULL = no timer, or unknown
 * rate. */
const struct ticker *apic_ticker(uint64_t hertz);
extern bool apic_ticks;     /* it was requested and exists */
bool apic_in_service(void); /* its tick is in service */

/* Its ID, in bits 31 to 24. False: it has no ID that an I/O APIC could use. */
bool apic_id(uint32_t *id);

/* NULL, or why a program cannot interrupt itself by the local APIC at APIC_PAGE. */
const char *apic_missing(void);
