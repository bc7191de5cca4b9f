/* latency.h - measures how long interrupts are off, at a suite's request. A stretch begins where IF
 * becomes 0 and ends where it becomes 1.
 *
 * While measuring, the call tables and the first handlers of vectors are different, and every way
 * out to a program finds work. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

extern uint32_t latency_windows; /* opened while measuring (cpu/window.h) */

void latency_measure(bool on); /* off: restores the tables */
