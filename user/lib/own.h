/* own.h - a program's state besides its general registers: x87 and SSE, data segments, bases of FS
 * and GS. Also the kernel's checksum, which no call may change (toll.h). */
#pragma once
#include <stddef.h>

enum { OWN_NAMES_SIZE = 120 };

/* Loads unique values into all of them. Selects no row, but makes calls, so call it before a row
 * that the next call disarms. */
void own_load(void);
/* The names of the parts that changed since own_load(), or "nothing". */
const char *own_changed(char *to, size_t size);
