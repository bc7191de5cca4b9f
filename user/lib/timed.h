/* timed.h - one call between two stamps, as short as it can be (timed.asm). */
#pragma once
#include <stdint.h>

/* Ticks from RDTSC to RDTSC (low half). In between it loads the registers and calls `half`, which
 * enters the kernel and returns. */
uint32_t timed_half(const void *half, long number, long a, long b, long c, long *result);
/* The same without loads: `half` only returns. */
uint32_t timed_return(const void *half);
