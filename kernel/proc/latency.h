/*
 * latency.h - how long the calls of programs keep interrupts off, once a suite has asked for it:
 * what is measured differs from what runs otherwise in the call tables alone.
 */
#ifndef TOLLGATE_PROC_LATENCY_H
#define TOLLGATE_PROC_LATENCY_H

#include <stdbool.h>

extern bool latency_on;

void latency_measure(bool on); /* off: the tables as they were */

#endif
