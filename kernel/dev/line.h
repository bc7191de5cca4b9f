/* line.h - the second serial line, COM2: bytes as they are, for programs. Polled: no interrupt. */
#ifndef TOLLGATE_DEV_LINE_H
#define TOLLGATE_DEV_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool line_open(void); /* sets it up: 115200 8N1. False = there is no COM2 */
/* Bytes that have come, as many as the FIFO holds when it is full enough, or when no more follow.
 * How many there were. */
size_t line_take(uint8_t *to, size_t size);
bool line_put(uint8_t byte); /* false = it takes none now */

#endif
