/*
 * latency.h - how long interrupts are off, once a suite has asked for it: a stretch begins where IF
 * goes to 0 and ends where it goes to 1.
 *
 * What is measured differs from what runs otherwise in the call tables, in who is asked first at a
 * vector, and in that every way out to a program finds work.
 */
#ifndef TOLLGATE_TOLL_LATENCY_H
#define TOLLGATE_TOLL_LATENCY_H

#include <stdbool.h>
#include <stdint.h>

extern bool latency_on;
extern uint32_t latency_windows; /* that were opened while it was on (cpu/window.h) */

void latency_measure(bool on); /* off: the tables as they were */

#endif
