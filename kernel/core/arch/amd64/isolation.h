/* isolation.h - declarations shared by isolation.asm and isolation.c. */
#pragma once
#include <stdint.h>

extern uintptr_t isolation_found; /* CR3 as the last vector found it */
void isolation_number(void);      /* gives the two tables their numbers: CR4.PCIDE */
