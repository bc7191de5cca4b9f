/* timer.h - the interrupt controllers and the periodic timer. */
#ifndef TOLLGATE_TIMER_H
#define TOLLGATE_TIMER_H

#include <stdbool.h>
#include <stdint.h>

#define TIMER_HZ 100

void timer_init(void);                 /* PICs remapped and masked, local APIC timer masked */
void timer_interrupt(unsigned vector); /* any vector from VECTOR_IRQ0 up */
unsigned timer_in_service(void);       /* the lines that wait for their end, bit 0 = IRQ 0 */
void timer_quiet(bool quiet);          /* every line masked, or the timer running */
void timer_rate(unsigned hertz);       /* 19 to 100,000 */
extern volatile uint32_t timer_ticks;

uint64_t timer_tsc_hz(void); /* the TSC's frequency against the PIT, in Hz; 0 = no PIT */

#endif
