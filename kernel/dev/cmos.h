/* cmos.h - the clock's battery-backed memory, and a mark there that outlives a reset. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

uint8_t cmos_get(unsigned at); /* reads one of 128 bytes */
void cmos_put(unsigned at, uint8_t value);

/* Sets the mark: a trusted program is about to starve unprotected. False = the firmware uses the
 * bytes. */
bool cmos_remember(void);
void cmos_forget(void);
/* The architecture of the kernel that set the mark, or NULL. */
const char *cmos_remembered(void);
