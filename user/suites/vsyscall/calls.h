/* calls.h - calls between two stamps, and through the user halves with arguments (calls.asm). */
#pragma once
#include <stdint.h>

/* function(a, b): the TSC before the call instruction and after it. A signal handler may return to
 * call_back instead. timed_nothing() omits the call. */
void timed_call(const void *function, long a, long b);
void timed_nothing(const void *function, long a, long b);
extern char call_back[];
extern uint64_t call_begun, call_ended;

/* The system call of this number, by a user half of the gate page. */
long gate_call_with(const void *half, long number, long a, long b);

void rdtsc_alone(void), rdtsc_behind_lfence(void);
