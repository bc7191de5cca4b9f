/* cmos.h - the clock's battery-backed memory, and a mark there that outlives a reset. */
#ifndef TOLLGATE_DEV_CMOS_H
#define TOLLGATE_DEV_CMOS_H

#include <stdbool.h>
#include <stdint.h>

uint8_t cmos_get(unsigned at); /* a byte, of 128 */
void cmos_put(unsigned at, uint8_t value);

/* That a trusted program of this kernel is about to starve unprotected. False = the bytes are
 * somebody else's. */
bool cmos_remember(void);
void cmos_forget(void);
/* The architecture of the kernel that has left the mark, or NULL. */
const char *cmos_remembered(void);

#endif
